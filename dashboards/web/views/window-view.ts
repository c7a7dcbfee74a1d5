import type { Window } from '../../api-schema.ts';
import type { Palette } from '../charts/chart-kit.ts';
import { createShareChart, isCut, type ShareScale } from '../charts/share-chart.ts';
import { badgeElement, byId, sentenceNodes, setChildren, setText } from '../dom.ts';
import { formatRange } from '../format.ts';
import type { PoolView } from '../load-page.ts';
import { RESERVED_FOR_LOWEST, type ShareBar, shareBars, TOP_BY_DEMAND } from '../share-bars.ts';
import { conditionOf, verdictSentence } from '../verdict-sentence.ts';
import { WINDOW_BADGES } from '../words.ts';
import { createTenantsTable } from './tenants-table.ts';

export interface WindowView {
  update(view: PoolView, palette: Palette, nowMs: number): void;
}

/** One window in detail: who asked for how much, what was their fair share, and what they were served. */
export function createWindowView(onPick: (startMs: number | null) => void): WindowView {
  const range = byId('window-range', HTMLElement);
  const badge = byId('window-badge', HTMLElement);
  const text = byId('window-text', HTMLElement);
  const body = byId('window-body', HTMLElement);
  const note = byId('share-note', HTMLElement);
  const previous = byId('window-previous', HTMLButtonElement);
  const next = byId('window-next', HTMLButtonElement);
  const newest = byId('window-newest', HTMLButtonElement);
  const chart = createShareChart(byId('share-chart', HTMLElement));
  const tenantsTable = createTenantsTable();
  let shown: { readonly view: PoolView; readonly palette: Palette } | null = null;
  const scale = createScaleSwitch(() => drawChart());

  const step = (by: number) => {
    const slot = shown?.view.slots[shown.view.chosenIndex + by];
    if (slot !== undefined) onPick(slot === shown?.view.slots.at(-1) ? null : slot.startMs);
  };
  previous.addEventListener('click', () => step(-1));
  next.addEventListener('click', () => step(1));
  newest.addEventListener('click', () => onPick(null));

  const drawChart = () => {
    if (shown?.view.chosen == null) return;
    const { chosen } = shown.view;
    const bars = shareBars(chosen.tenants);
    chart.update(bars, scale.current(), chosen.cost_unit, shown.palette);
    setText(note, barsNote(bars, scale.current()));
  };

  return {
    update(view, palette, nowMs) {
      shown = { view, palette };
      const slot = view.slots[view.chosenIndex];
      const { chosen } = view;
      setText(range, slot === undefined ? '' : formatRange(slot.startMs, slot.endMs, nowMs));
      const verdict = WINDOW_BADGES[chosen === null ? 'not_computed' : conditionOf(chosen)];
      setChildren(badge, badgeElement(verdict));
      const sentence = chosen === null ? ['no result is stored for this window.'] : verdictSentence(chosen);
      setChildren(text, ...sentenceNodes(verdict, sentence));
      previous.disabled = view.chosenIndex === 0;
      next.disabled = view.chosenIndex === view.slots.length - 1;
      newest.disabled = slot?.endMs === Date.parse(view.summary.latest?.end ?? '');
      body.hidden = chosen === null || chosen.tenants.length === 0;
      if (chosen === null || body.hidden) return;
      drawChart();
      tenantsTable.update(chosen, windowKey(view.summary.pool, chosen));
    },
  };
}

function windowKey(pool: string, window: Window): string {
  return `${pool}\n${window.start}`;
}

interface ScaleSwitch {
  current(): ShareScale;
}

function createScaleSwitch(onChange: () => void): ScaleSwitch {
  const buttons = {
    relative: byId('scale-relative', HTMLButtonElement),
    amount: byId('scale-amount', HTMLButtonElement),
  } as const;
  let scale: ShareScale = 'relative';
  const choose = (chosen: ShareScale) => {
    scale = chosen;
    buttons.relative.setAttribute('aria-pressed', String(chosen === 'relative'));
    buttons.amount.setAttribute('aria-pressed', String(chosen === 'amount'));
    onChange();
  };
  buttons.relative.addEventListener('click', () => choose('relative'));
  buttons.amount.addEventListener('click', () => choose('amount'));
  return { current: () => scale };
}

/** Says which tenants the chart holds and where its bars do not tell the whole. */
function barsNote(bars: readonly ShareBar[], scale: ShareScale): string {
  const rest = bars.find((bar) => bar.kind === 'rest');
  const lowest = bars.filter((bar) => bar.kind === 'tenant' && bar.place === 'lowest').length;
  const held =
    lowest === 0
      ? ''
      : `The ${TOP_BY_DEMAND} tenants with the most demand, then up to ${RESERVED_FOR_LOWEST} with the lowest normalized share` +
        `${rest === undefined ? '' : '; the hatched bar is everybody else together'}. `;
  const cut = scale === 'relative' && bars.some(isCut) ? 'Bars that reach the right edge go on beyond it. ' : '';
  return `${held}${cut}The figure on the right is the normalized share, served ÷ fair share.`;
}
