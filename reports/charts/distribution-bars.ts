import { picture, svg } from './svg.ts';

export interface DistributionBar {
  readonly label: string;
  readonly value: number;
  readonly shown: string;
}

const WIDTH = 430;
const ROW_HEIGHT = 22;
const BAR_HEIGHT = 12;
const LABEL_WIDTH = 120;
const VALUE_WIDTH = 56;

/** One bar a row, its label before and its value after it. */
export function distributionBars(bars: readonly DistributionBar[], label: string): string {
  const largest = Math.max(1, ...bars.map((bar) => bar.value));
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const rows = bars.flatMap((bar, index) => {
    const top = index * ROW_HEIGHT;
    const width = (bar.value / largest) * room;
    const text = { class: 'axis', y: top + 15 };
    return [
      svg('text', { ...text, x: LABEL_WIDTH - 10, 'text-anchor': 'end' }, [bar.label]),
      svg('rect', { class: 'bar-served', x: LABEL_WIDTH, y: top + 5, width, height: BAR_HEIGHT, rx: 1.5 }),
      svg('text', { ...text, class: 'axis axis-value', x: LABEL_WIDTH + width + 8 }, [bar.shown]),
    ];
  });
  return picture({ width: WIDTH, height: Math.max(1, bars.length) * ROW_HEIGHT }, label, rows);
}
