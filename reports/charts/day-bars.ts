import type { ReportDay } from '../report-document.ts';
import { AXIS_HEIGHT, dayAxis, dayPlaces, valueGrid, WIDTH } from './frame.ts';
import { linearScale, roundTicks } from './scales.ts';
import { picture, type SvgElement, svg } from './svg.ts';

export interface DayBarsWords {
  readonly label: string;
  readonly tick: (cost: number) => string;
  readonly tip: (day: ReportDay) => string;
}

const PLOT_TOP = 8;
const PLOT_BOTTOM = 190;

/** Per day a wide bar for the demand, a narrow one for what was served, and a mark at the fair share. */
export function dayBars(days: readonly ReportDay[], words: DayBarsWords): string {
  const largest = Math.max(0, ...days.flatMap(({ totals }) => [totals.demand_cost, totals.served_cost ?? 0]));
  const ticks = roundTicks(largest, 4);
  const scale = linearScale([0, ticks.at(-1) ?? 1], [PLOT_BOTTOM, PLOT_TOP]);
  const places = dayPlaces(days);
  const bars = days.flatMap((day, index): SvgElement[] => {
    const { left, width } = places[index] ?? { left: 0, width: 0 };
    const { demand_cost: demand, fair_share_cost: fairShare, served_cost: served, windows } = day.totals;
    if (windows === 0) return [];
    const bar = (cost: number | null, share: number, name: string): SvgElement[] => {
      if (cost === null || cost <= 0) return [];
      const height = Math.max(0.75, PLOT_BOTTOM - scale(cost));
      const x = left + (width * (1 - share)) / 2;
      return [svg('rect', { class: name, x, y: PLOT_BOTTOM - height, width: width * share, height, rx: 1.5 })];
    };
    const mark =
      fairShare === null
        ? []
        : [
            svg('line', {
              class: 'mark-fair',
              x1: left + 1,
              x2: left + width - 1,
              y1: scale(fairShare),
              y2: scale(fairShare),
            }),
          ];
    return [
      svg('g', {}, [
        svg('title', {}, [words.tip(day)]),
        svg('rect', { class: 'touch', x: left, y: PLOT_TOP, width, height: PLOT_BOTTOM - PLOT_TOP }),
        ...bar(demand, 0.76, 'bar-demand'),
        ...bar(served, 0.36, 'bar-served'),
        ...mark,
      ]),
    ];
  });
  return picture({ width: WIDTH, height: PLOT_BOTTOM + AXIS_HEIGHT }, words.label, [
    ...valueGrid(ticks, scale, words.tick),
    ...bars,
    ...dayAxis(days, PLOT_BOTTOM),
  ]);
}
