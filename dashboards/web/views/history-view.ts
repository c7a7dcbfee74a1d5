import type { Palette } from '../charts/chart-kit.ts';
import { createTimeCharts } from '../charts/time-charts.ts';
import { badgeElement, byId, setText } from '../dom.ts';
import { stateWords, windowCells } from '../figure-cells.ts';
import { formatClock, formatRange, formatSpan } from '../format.ts';
import type { PoolView } from '../load-page.ts';
import { type Cell, type Row, setRows } from '../table-rows.ts';
import { type Slot, slotIndexAt } from '../time-slots.ts';
import { WINDOW_BADGES } from '../words.ts';
import { createStripView } from './strip-view.ts';

const HOUR_MS = 60 * 60_000;

export interface HistoryView {
  update(view: PoolView, palette: Palette, nowMs: number): void;
}

/** The recent windows: a strip of verdicts, two charts under it on the same axis, and the same as a table. */
export function createHistoryView(onPick: (startMs: number | null) => void): HistoryView {
  const title = byId('history-title', HTMLElement);
  const range = byId('history-range', HTMLElement);
  const table = byId('history-table', HTMLDetailsElement);
  const rows = byId('history-rows', HTMLElement);
  let slots: readonly Slot[] = [];
  const strip = createStripView(onPick);
  const charts = createTimeCharts(byId('evenness-chart', HTMLElement), byId('wait-chart', HTMLElement), (timeMs) => {
    const slot = slots[slotIndexAt(slots, timeMs)];
    if (slot !== undefined) onPick(slot === slots.at(-1) ? null : slot.startMs);
  });
  // The table is drawn only while somebody looks at it.
  const updateTable = () => {
    if (table.open) setRows(rows, [...slots].reverse().map(slotRow));
  };
  table.addEventListener('toggle', updateTable);
  return {
    update(view, palette, nowMs) {
      slots = view.slots;
      const spanMs = view.range.toMs - view.range.fromMs;
      const isNewest = view.range.toMs === Date.parse(view.summary.latest?.end ?? '');
      setText(
        title,
        isNewest ? `The last ${spanMs === HOUR_MS ? 'hour' : formatSpan(spanMs)}` : 'Around the chosen window',
      );
      setText(range, formatRange(view.range.fromMs, view.range.toMs, nowMs));
      strip.update(slots, view.chosenIndex);
      charts.update(slots, view.chosenIndex, palette);
      updateTable();
    },
  };
}

function slotRow(slot: Slot): Row {
  const head: Cell = { kind: 'head', content: [`${formatClock(slot.startMs)}–${formatClock(slot.endMs)}`] };
  if (slot.window === null) {
    const empty: Cell = { content: [] };
    return { cells: [head, { content: [badgeElement(WINDOW_BADGES.not_computed)] }, empty, empty, empty, empty] };
  }
  return { cells: [head, ...windowCells(slot.window), { content: [stateWords(slot.window)] }] };
}
