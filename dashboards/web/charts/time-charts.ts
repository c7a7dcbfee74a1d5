import { connect, type ECharts, type EChartsCoreOption } from 'echarts/core';
import type { Window } from '../../api-schema.ts';
import { element, nameElement } from '../dom.ts';
import { formatAmount, formatClock, formatRatio, formatWait, formatWaitTick } from '../format.ts';
import type { Slot } from '../time-slots.ts';
import { conditionOf } from '../verdict-sentence.ts';
import { reasonWords, WINDOW_BADGES } from '../words.ts';
import { baseOption, createChart, type Palette, TOOLTIP_FRAME } from './chart-kit.ts';
import { type TipRow, tipElement } from './tip.ts';

/** Left and right of the plots; the strip above them has the same margins. */
const GRID = { left: 60, right: 18, top: 10, bottom: 24, outerBoundsMode: 'none' } as const;
/** The wait axis is logarithmic: waits under a millisecond are drawn at one. */
const WAIT_FLOOR_MS = 1;

export interface TimeCharts {
  update(slots: readonly Slot[], chosenIndex: number, palette: Palette): void;
}

/** The evenness and the wait of every slot, with a common crosshair; a click picks the slot under it. */
export function createTimeCharts(
  evennessElement: HTMLElement,
  waitElement: HTMLElement,
  onPick: (timeMs: number) => void,
): TimeCharts {
  const evenness = createChart(evennessElement);
  const wait = createChart(waitElement);
  evenness.group = 'time';
  wait.group = 'time';
  connect('time');
  for (const chart of [evenness, wait]) pickOnClick(chart, onPick);
  return {
    update(slots, chosenIndex, palette) {
      evenness.setOption(evennessOption(slots, chosenIndex, palette));
      wait.setOption(waitOption(slots, chosenIndex, palette));
      evennessElement.setAttribute('aria-label', describeEvenness(slots));
      waitElement.setAttribute('aria-label', describeWaits(slots));
    },
  };
}

function pickOnClick(chart: ECharts, onPick: (timeMs: number) => void): void {
  chart.getZr().on('click', ({ offsetX, offsetY }: { offsetX: number; offsetY: number }) => {
    if (!chart.containPixel('grid', [offsetX, offsetY])) return;
    onPick(Number(chart.convertFromPixel({ xAxisIndex: 0 }, offsetX)));
  });
  chart.getZr().on('mousemove', ({ offsetX, offsetY }: { offsetX: number; offsetY: number }) => {
    chart.getZr().setCursorStyle(chart.containPixel('grid', [offsetX, offsetY]) ? 'pointer' : 'default');
  });
}

function frame(
  slots: readonly Slot[],
  palette: Palette,
  rowsOf: (window: Window) => readonly TipRow[],
): EChartsCoreOption {
  return {
    ...baseOption(),
    grid: GRID,
    xAxis: {
      type: 'time',
      min: slots[0]?.startMs,
      max: slots.at(-1)?.endMs,
      axisLine: { lineStyle: { color: palette.line } },
      axisTick: { show: false },
      axisLabel: { color: palette.muted, hideOverlap: true, formatter: (timeMs: number) => formatClock(timeMs) },
      splitLine: { show: false },
    },
    tooltip: {
      ...TOOLTIP_FRAME,
      trigger: 'axis',
      axisPointer: { type: 'line', lineStyle: { color: palette.muted } },
      formatter: (series: readonly { dataIndex: number }[]) => slotTip(slots[series[0]?.dataIndex ?? -1], rowsOf),
    },
  };
}

function slotTip(slot: Slot | undefined, rowsOf: (window: Window) => readonly TipRow[]): HTMLElement {
  if (slot === undefined) return element('div', '');
  const badge = WINDOW_BADGES[slot.window === null ? 'not_computed' : conditionOf(slot.window)];
  const head = `${formatClock(slot.startMs)}–${formatClock(slot.endMs)} UTC  ${badge.symbol} ${badge.word}`;
  return tipElement(head, slot.window === null ? [] : rowsOf(slot.window));
}

function middleMs(slot: Slot): number {
  return (slot.startMs + slot.endMs) / 2;
}

/** Drawn on the first series of each chart: the chosen window. */
function chosenArea(slots: readonly Slot[], chosenIndex: number, palette: Palette): object {
  const slot = slots[chosenIndex];
  const data = slot === undefined ? [] : [[{ xAxis: slot.startMs }, { xAxis: slot.endMs }]];
  return { silent: true, itemStyle: { color: palette.chosen }, data };
}

function evennessOption(slots: readonly Slot[], chosenIndex: number, palette: Palette): EChartsCoreOption {
  const jain = slots.map((slot) => [middleMs(slot), slot.window?.jain_index ?? null]);
  const share = slots.map((slot) => [middleMs(slot), slot.window?.min_normalized_share?.value ?? null]);
  const line = { type: 'line', symbol: 'circle', symbolSize: 4, connectNulls: false } as const;
  return {
    ...frame(slots, palette, evennessRows),
    yAxis: {
      type: 'value',
      min: 0,
      max: ({ max }: { max: number }) => Math.max(1, Math.ceil(max * 10) / 10),
      interval: 0.25,
      axisLabel: { color: palette.muted },
      splitLine: { lineStyle: { color: palette.line } },
    },
    series: [
      {
        ...line,
        name: 'jain',
        data: jain,
        itemStyle: { color: palette.jain },
        lineStyle: { color: palette.jain, width: 2 },
        markArea: chosenArea(slots, chosenIndex, palette),
      },
      {
        ...line,
        name: 'share',
        symbol: 'rect',
        data: share,
        itemStyle: { color: palette.share },
        lineStyle: { color: palette.share, width: 2, type: [6, 3] },
      },
    ],
  };
}

function evennessRows(window: Window): readonly TipRow[] {
  const { jain_index: jain, min_normalized_share: lowest } = window;
  const tenant = lowest === null ? [] : [{ label: 'of tenant', value: nameElement(lowest.tenant) }];
  return [
    { label: 'Jain index', value: jain === null ? unknown(window.jain_index_reason) : formatRatio(jain) },
    {
      label: 'Min normalized share',
      value: lowest === null ? unknown(window.min_normalized_share_reason) : formatRatio(lowest.value),
    },
    ...tenant,
  ];
}

function unknown(reason: string | undefined): string {
  return `unknown: ${reasonWords(reason)}`;
}

function waitOption(slots: readonly Slot[], chosenIndex: number, palette: Palette): EChartsCoreOption {
  const waits = slots.map((slot) => waitPoint(slot, palette));
  const thresholds = slots.map((slot) => [middleMs(slot), slot.window?.in_share.threshold_ms ?? null]);
  const highestMs = slots.reduce((highest, { window }) => {
    return Math.max(highest, window?.in_share.p99_wait_ms ?? 0, window?.in_share.threshold_ms ?? 0);
  }, 10);
  return {
    ...frame(slots, palette, waitRows),
    yAxis: {
      type: 'log',
      logBase: 10,
      min: WAIT_FLOOR_MS,
      max: 10 ** Math.ceil(Math.log10(highestMs * 1.2)),
      axisLabel: { color: palette.muted, formatter: (waitMs: number) => formatWaitTick(waitMs) },
      splitLine: { lineStyle: { color: palette.line } },
    },
    series: [
      {
        type: 'line',
        name: 'wait',
        data: waits,
        connectNulls: false,
        itemStyle: { color: palette.jain },
        lineStyle: { color: palette.jain, width: 2 },
        markArea: chosenArea(slots, chosenIndex, palette),
      },
      {
        type: 'line',
        name: 'threshold',
        data: thresholds,
        symbol: 'none',
        silent: true,
        z: 1,
        lineStyle: { color: palette.bad, width: 1.5, type: [2, 3] },
      },
    ],
  };
}

/** Over the threshold, and resting on too few samples, each have a shape of their own. */
function waitPoint({ window, ...slot }: Slot, palette: Palette): object {
  const { p99_wait_ms: p99 = null, threshold_ms: threshold = 0, sufficient = true } = window?.in_share ?? {};
  const value = [middleMs({ window, ...slot }), p99 === null ? null : Math.max(WAIT_FLOOR_MS, p99)];
  if (p99 === null) return { value };
  const isOver = p99 > threshold;
  const colour = isOver ? palette.bad : palette.jain;
  const itemStyle = sufficient ? { color: colour } : { color: palette.surface, borderColor: colour, borderWidth: 1.5 };
  return { value, symbol: isOver ? 'diamond' : 'circle', symbolSize: isOver ? 9 : sufficient ? 4 : 7, itemStyle };
}

function waitRows({ in_share: inShare }: Window): readonly TipRow[] {
  const { p99_wait_ms: p99, samples, sufficient } = inShare;
  return [
    { label: 'In-share p99 wait', value: p99 === null ? unknown(inShare.p99_wait_reason) : formatWait(p99) },
    { label: 'Threshold', value: formatWait(inShare.threshold_ms) },
    { label: 'Samples', value: `${formatAmount(samples)}${sufficient ? '' : ' (fewer than 100)'}` },
    { label: 'Over the threshold', value: formatAmount(inShare.over_threshold) },
  ];
}

function describeEvenness(slots: readonly Slot[]): string {
  const known = slots.filter((slot) => slot.window?.jain_index != null);
  const lowest = known.reduce<Slot | null>((low, slot) => {
    return low === null || (slot.window?.jain_index ?? 1) < (low.window?.jain_index ?? 1) ? slot : low;
  }, null);
  const jain = lowest?.window?.jain_index;
  if (lowest === null || jain == null) return 'Jain index and minimum normalized share: unknown in every window shown.';
  return `Jain index and minimum normalized share over time. Lowest Jain index ${formatRatio(jain)} at ${formatClock(lowest.startMs)} UTC.`;
}

function describeWaits(slots: readonly Slot[]): string {
  const over = slots.filter(({ window }) => (window?.in_share.p99_wait_ms ?? 0) > (window?.in_share.threshold_ms ?? 0));
  return `In-share p99 queue wait over time: over its threshold in ${over.length} of ${slots.length} windows.`;
}
