import type { PoolSummary } from '../../api-schema.ts';
import { byId, element, nameElement, sentenceNodes, setChildren, setText } from '../dom.ts';
import { samplesWords, stateWords } from '../figure-cells.ts';
import { formatAmount, formatPercent, formatRange, formatRatio, formatTimes, formatWait } from '../format.ts';
import { conditionOf, verdictSentence } from '../verdict-sentence.ts';
import { reasonWords, WINDOW_BADGES } from '../words.ts';

type Latest = NonNullable<PoolSummary['latest']>;

export interface VerdictView {
  update(pool: PoolSummary, nowMs: number): void;
}

/** What the newest window of the pool says: a sentence and four figures. */
export function createVerdictView(): VerdictView {
  const title = byId('pool-title', HTMLElement);
  const card = byId('verdict', HTMLElement);
  const symbol = byId('verdict-symbol', HTMLElement);
  const text = byId('verdict-text', HTMLElement);
  const meta = byId('verdict-meta', HTMLElement);
  const tiles = byId('tiles', HTMLElement);
  return {
    update(pool, nowMs) {
      setChildren(title, nameElement(pool.pool));
      const { latest } = pool;
      card.hidden = latest === null;
      tiles.hidden = latest === null;
      if (latest === null) return;
      const badge = WINDOW_BADGES[conditionOf(latest)];
      card.dataset.tone = badge.tone;
      setText(symbol, badge.symbol);
      setChildren(text, ...sentenceNodes(badge, verdictSentence(latest)));
      const range = formatRange(Date.parse(latest.start), Date.parse(latest.end), nowMs);
      setText(meta, `Newest window ${range} · ${stateWords(latest)} · ${capacityWords(latest)}`);
      setChildren(tiles, ...[jainTile(latest), lowestTile(latest), waitTile(latest), useTile(latest)].map(tileElement));
    },
  };
}

function capacityWords({ capacity, cost_unit: unit }: Latest): string {
  if (capacity.cost === null) return `capacity unknown: ${reasonWords(capacity.reason)}`;
  return `capacity ${formatAmount(capacity.cost)} ${unit} (${capacity.basis})`;
}

interface Tile {
  readonly label: string;
  /** Null: unknown, and `below` says why. */
  readonly figure: string | null;
  readonly below: readonly (Node | string)[];
  readonly alarming?: boolean;
}

function tileElement(tile: Tile): HTMLElement {
  const figure = element('dd', 'tile-figure', ...(tile.figure === null ? [] : [tile.figure]));
  if (tile.figure === null) figure.append(element('span', 'unknown', 'unknown'));
  const created = element(
    'div',
    'card tile',
    element('dt', 'tile-label', tile.label),
    figure,
    element('dd', 'tile-below', ...tile.below),
  );
  if (tile.alarming === true) created.dataset.tone = 'bad';
  return created;
}

function jainTile(latest: Latest): Tile {
  const label = 'Jain index';
  const { jain_index: jain, tenants_with_demand: tenants } = latest;
  if (jain === null) return { label, figure: null, below: [reasonWords(latest.jain_index_reason)] };
  return { label, figure: formatRatio(jain), below: [`${formatAmount(tenants)} tenants with demand; 1 is even`] };
}

function lowestTile(latest: Latest): Tile {
  const label = 'Min normalized share';
  const lowest = latest.min_normalized_share;
  if (lowest === null) return { label, figure: null, below: [reasonWords(latest.min_normalized_share_reason)] };
  return { label, figure: formatRatio(lowest.value), below: ['tenant ', nameElement(lowest.tenant)] };
}

function waitTile({ in_share: inShare }: Latest): Tile {
  const label = 'In-share p99 wait';
  const { p99_wait_ms: p99, threshold_ms: threshold } = inShare;
  if (p99 === null) return { label, figure: null, below: [reasonWords(inShare.p99_wait_reason)] };
  const relation = p99 > threshold ? '◆ over the threshold of' : 'threshold';
  const below = [
    element('span', 'whole', `${relation} ${formatWait(threshold)}`),
    element('span', 'whole', samplesWords(inShare)),
  ];
  return { label, figure: formatWait(p99), below, alarming: p99 > threshold };
}

function useTile(latest: Latest): Tile {
  const label = 'Utilization';
  const { utilization_ratio: used, demand_cost: demand, capacity } = latest;
  const relation =
    demand === null || capacity.cost === null || capacity.cost <= 0
      ? 'demand against capacity unknown'
      : `demand ${formatTimes(demand / capacity.cost)} capacity`;
  if (used === null) return { label, figure: null, below: [reasonWords(latest.utilization_reason)] };
  const waiting = `${formatAmount(latest.waiting_at_end)} waiting at its end`;
  return {
    label,
    figure: formatPercent(used),
    below: [element('span', 'whole', relation), element('span', 'whole', waiting)],
  };
}
