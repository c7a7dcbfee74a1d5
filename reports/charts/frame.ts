import type { ReportDay } from '../report-document.ts';
import { linearScale, type Scale } from './scales.ts';
import { type SvgElement, svg } from './svg.ts';

/** The charts of a month lie under each other: one width, one left edge, one place for each day. */
export const WIDTH = 920;
export const PLOT = { left: 62, right: WIDTH - 10 } as const;
/** Room under a plot for the labels of its axis. */
export const AXIS_HEIGHT = 24;

/** Left edge and width of each day's place. */
export function dayPlaces(days: readonly ReportDay[]): { readonly left: number; readonly width: number }[] {
  const width = (PLOT.right - PLOT.left) / Math.max(1, days.length);
  return days.map((_, index) => ({ left: PLOT.left + index * width, width }));
}

/** The days' numbers under a plot. */
export function dayAxis(days: readonly ReportDay[], top: number): SvgElement[] {
  return dayPlaces(days).map(({ left, width }, index) =>
    axisLabel({ x: left + width / 2, y: top + 16, anchor: 'middle' }, String(Number(days[index]?.date.slice(8)))),
  );
}

/** Lines across the plot at round values, each with its label on the left. */
export function valueGrid(ticks: readonly number[], scale: Scale, label: (tick: number) => string): SvgElement[] {
  return ticks.flatMap((tick) => [
    svg('line', { class: 'grid', x1: PLOT.left, x2: PLOT.right, y1: scale(tick), y2: scale(tick) }),
    axisLabel({ x: PLOT.left - 8, y: scale(tick) + 4, anchor: 'end' }, label(tick)),
  ]);
}

export function axisLabel(
  at: { readonly x: number; readonly y: number; readonly anchor: 'start' | 'middle' | 'end' },
  label: string,
): SvgElement {
  return svg('text', { class: 'axis', x: at.x, y: at.y, 'text-anchor': at.anchor }, [label]);
}

/** Time from left to right over the plot. */
export function timeScale(fromMs: number, toMs: number): Scale {
  return linearScale([fromMs, toMs], [PLOT.left, PLOT.right]);
}
