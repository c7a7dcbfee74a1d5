import type { PoolSummary } from '../../api-schema.ts';
import { byId, element, nameElement, setText } from '../dom.ts';
import { stateWords, windowCells } from '../figure-cells.ts';
import { formatRange, formatSpan } from '../format.ts';
import type { PageView } from '../load-page.ts';
import { displayName } from '../names.ts';
import { type Cell, type Row, setRows } from '../table-rows.ts';
import { formatSelection } from '../url-state.ts';

export interface PoolsView {
  update(page: PageView, nowMs: number): void;
}

/** The overview of all pools, and the selector of one. Names in the table are links, so that they open in a tab too. */
export function createPoolsView(onChoose: (pool: string) => void): PoolsView {
  const section = byId('pools', HTMLElement);
  const rows = byId('pools-rows', HTMLElement);
  const note = byId('pools-note', HTMLElement);
  const select = byId('pool-select', HTMLSelectElement);
  select.addEventListener('change', () => onChoose(select.value));
  rows.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const pool = link?.dataset.pool;
    if (pool === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onChoose(pool);
  });
  return {
    update({ pools, pool: shown }, nowMs) {
      section.hidden = pools.pools.length === 0;
      setRows(
        rows,
        pools.pools.map((pool) => poolRow(pool, pool.pool === shown?.pool, nowMs)),
      );
      setText(note, pools.pools.length === 1 ? '1 pool' : `${pools.pools.length} pools`);
      updateSelect(select, pools.pools, shown?.pool ?? null);
    },
  };
}

function poolRow(pool: PoolSummary, current: boolean, nowMs: number): Row {
  const link = element('a', 'pool-link', nameElement(pool.pool));
  link.href = formatSelection({ pool: pool.pool, atMs: null }, '');
  link.dataset.pool = pool.pool;
  if (current) link.setAttribute('aria-current', 'true');
  const head: Cell = { kind: 'head', content: [link] };
  const { latest } = pool;
  if (latest === null) {
    const none = pool.newest_arrival_ms === null ? 'no data yet' : 'no window computed yet';
    const empty: Cell = { content: [] };
    return { current, cells: [head, { content: [element('span', 'unknown', none)] }, empty, empty, empty, empty] };
  }
  const endMs = Date.parse(latest.end);
  const range = formatRange(Date.parse(latest.start), endMs, nowMs);
  const age = nowMs > endMs ? `, ${formatSpan(nowMs - endMs)} ago` : '';
  const when: Cell = { content: [range, element('span', 'aside', `${stateWords(latest)}${age}`)] };
  return { current, cells: [head, ...windowCells(latest), when] };
}

function updateSelect(select: HTMLSelectElement, pools: readonly PoolSummary[], shown: string | null): void {
  const names = pools.map((pool) => pool.pool);
  const known = [...select.options].map((option) => option.value);
  if (names.join('\n') !== known.join('\n')) {
    select.replaceChildren(...names.map((name) => new Option(displayName(name), name)));
  }
  if (shown !== null && select.value !== shown) select.value = shown;
}
