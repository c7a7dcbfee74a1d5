import { AXIS_HEIGHT, axisLabel, PLOT, timeScale, valueGrid, WIDTH } from './frame.ts';
import { logScale, type Scale, waitTicks } from './scales.ts';
import { coordinate, picture, type SvgElement, svg } from './svg.ts';

/** The p99 wait of a window, or the greatest of an hour's windows. */
export interface WaitPoint {
  readonly startMs: number;
  readonly endMs: number;
  readonly p99Ms: number;
  readonly isOver: boolean;
}

/** From a moment on, until the next one, waits count as over this. */
export interface ThresholdStep {
  readonly fromMs: number;
  readonly thresholdMs: number;
}

export interface WaitSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly ticks: readonly { readonly atMs: number; readonly label: string }[];
}

export interface WaitChartWords {
  readonly label: string;
  readonly tick: (waitMs: number) => string;
}

const PLOT_TOP = 8;
const PLOT_BOTTOM = 176;
const FLOOR_MS = 1;
const DIAMOND = 4;

/** Waits over time on a logarithmic axis; the line breaks where there was no wait, and diamonds stand over the threshold. */
export function waitChart(
  points: readonly WaitPoint[],
  thresholds: readonly ThresholdStep[],
  span: WaitSpan,
  words: WaitChartWords,
): string {
  const highest = Math.max(10, ...points.map((point) => point.p99Ms), ...thresholds.map((step) => step.thresholdMs));
  const ticks = waitTicks(highest * 1.1);
  const y = logScale([FLOOR_MS, Math.max(ticks.at(-1) ?? 10, highest)], [PLOT_BOTTOM, PLOT_TOP]);
  const x = timeScale(span.fromMs, span.toMs);
  return picture({ width: WIDTH, height: PLOT_BOTTOM + AXIS_HEIGHT }, words.label, [
    ...valueGrid(ticks, y, words.tick),
    ...timeAxis(span, x),
    ...thresholdLine(thresholds, span, { x, y }),
    svg('path', { class: 'line-p99', d: linePath(points, { x, y }) }),
    svg('path', {
      class: 'dots-p99',
      d: dots(
        points.filter((point) => !point.isOver),
        { x, y },
      ),
    }),
    svg('path', {
      class: 'dots-over',
      d: diamonds(
        points.filter((point) => point.isOver),
        { x, y },
      ),
    }),
  ]);
}

interface Axes {
  readonly x: Scale;
  readonly y: Scale;
}

const middleOf = (point: WaitPoint): number => (point.startMs + point.endMs) / 2;

function at(point: WaitPoint, { x, y }: Axes): string {
  return `${coordinate(x(middleOf(point)))} ${coordinate(y(point.p99Ms))}`;
}

function linePath(points: readonly WaitPoint[], axes: Axes): string {
  return points
    .map((point, index) => `${points[index - 1]?.endMs === point.startMs ? 'L' : 'M'}${at(point, axes)}`)
    .join('');
}

/** Strokes of no length with round ends. */
function dots(points: readonly WaitPoint[], axes: Axes): string {
  return points.map((point) => `M${at(point, axes)}h0`).join('');
}

function diamonds(points: readonly WaitPoint[], axes: Axes): string {
  return points
    .map(
      (point) =>
        `M${at(point, axes)}m0 ${-DIAMOND}l${DIAMOND} ${DIAMOND}l${-DIAMOND} ${DIAMOND}l${-DIAMOND} ${-DIAMOND}z`,
    )
    .join('');
}

function thresholdLine(thresholds: readonly ThresholdStep[], span: WaitSpan, { x, y }: Axes): SvgElement[] {
  return thresholds.flatMap((step, index) => {
    // The first threshold known holds before it as well.
    const fromMs = index === 0 ? span.fromMs : Math.max(span.fromMs, step.fromMs);
    const toMs = Math.min(span.toMs, thresholds[index + 1]?.fromMs ?? span.toMs);
    if (fromMs >= toMs) return [];
    const height = y(step.thresholdMs);
    return [svg('line', { class: 'line-threshold', x1: x(fromMs), x2: x(toMs), y1: height, y2: height })];
  });
}

function timeAxis(span: WaitSpan, x: Scale): SvgElement[] {
  return span.ticks.flatMap(({ atMs, label }) => [
    svg('line', { class: 'tick', x1: x(atMs), x2: x(atMs), y1: PLOT_BOTTOM, y2: PLOT_BOTTOM + 4 }),
    axisLabel({ x: Math.min(x(atMs), PLOT.right - 2), y: PLOT_BOTTOM + 17, anchor: 'middle' }, label),
  ]);
}
