import type { ReportDay, ReportHour } from '../report-document.ts';
import { AXIS_HEIGHT, axisLabel, dayAxis, dayPlaces, PLOT, WIDTH } from './frame.ts';
import { picture, svg } from './svg.ts';

/** Bounds between the classes of normalized shares, each with the class that is under it; the rest is `share-even`. */
export const SHARE_CLASSES = [
  { bound: 0.25, name: 'share-25' },
  { bound: 0.5, name: 'share-50' },
  { bound: 0.75, name: 'share-75' },
  { bound: 0.97, name: 'share-97' },
] as const;

export interface HeatmapWords {
  readonly label: string;
  readonly hour: (hour: number) => string;
  readonly tip: (hour: ReportHour) => string;
}

const CELL_HEIGHT = 9;
const GAP = 1;
const PLOT_TOP = 4;
const HOURS = 24;
const LABELLED_EVERY = 6;

/** Days from left to right, hours from top to bottom; the deeper the colour, the lower the lowest share. */
export function shareHeatmap(days: readonly ReportDay[], hours: readonly ReportHour[], words: HeatmapWords): string {
  const places = new Map(dayPlaces(days).map((place, index) => [days[index]?.date ?? '', place]));
  const bottom = PLOT_TOP + HOURS * CELL_HEIGHT;
  const ground = [...places.values()].map(({ left, width }) =>
    svg('rect', { class: 'share-none', x: left, y: PLOT_TOP, width: width - GAP, height: bottom - PLOT_TOP - GAP }),
  );
  const cells = hours.flatMap((hour) => {
    const place = places.get(hour.date);
    if (place === undefined) return [];
    const at = { x: place.left, y: PLOT_TOP + hour.hour * CELL_HEIGHT };
    const size = { width: place.width - GAP, height: CELL_HEIGHT - GAP };
    return [svg('rect', { class: shareClass(hour), ...at, ...size }, [svg('title', {}, [words.tip(hour)])])];
  });
  const labels = Array.from({ length: HOURS / LABELLED_EVERY }, (_, index) => {
    const hour = index * LABELLED_EVERY;
    return axisLabel({ x: PLOT.left - 8, y: PLOT_TOP + hour * CELL_HEIGHT + 9, anchor: 'end' }, words.hour(hour));
  });
  return picture({ width: WIDTH, height: bottom + AXIS_HEIGHT }, words.label, [
    ...ground,
    ...cells,
    ...labels,
    ...dayAxis(days, bottom),
  ]);
}

function shareClass({ min_normalized_share: share, windows_unknown: unknown }: ReportHour): string {
  if (share === null) return unknown > 0 ? 'share-unknown' : 'share-idle';
  return SHARE_CLASSES.find(({ bound }) => share < bound)?.name ?? 'share-even';
}
