import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, MarkAreaComponent, TooltipComponent } from 'echarts/components';
import { type ECharts, type EChartsCoreOption, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([BarChart, LineChart, ScatterChart, GridComponent, MarkAreaComponent, TooltipComponent, CanvasRenderer]);

/** Colours of the page as charts need them, read from its style sheet so that both follow the reader's scheme. */
export interface Palette {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly surface: string;
  readonly jain: string;
  readonly share: string;
  readonly served: string;
  readonly demand: string;
  readonly bad: string;
  readonly chosen: string;
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour('ink'),
    muted: colour('muted'),
    line: colour('line'),
    surface: colour('surface'),
    jain: colour('blue'),
    share: colour('purple'),
    served: colour('blue'),
    demand: colour('demand'),
    bad: colour('vermillion'),
    chosen: colour('chosen'),
  };
}

/**
 * A canvas chart that keeps the size of its element. Canvas, because the page's policy allows no inline styles, which an
 * SVG renderer needs; tooltips are elements that we build (`tip.ts`), so no name is ever parsed as markup.
 */
export function createChart(target: HTMLElement): ECharts {
  const chart = init(target, null, { renderer: 'canvas' });
  new ResizeObserver(() => chart.resize()).observe(target);
  return chart;
}

/** What all charts share: no movement, UTC, the page's font. */
export function baseOption(): EChartsCoreOption {
  return {
    animation: false,
    useUTC: true,
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
  };
}

/** An empty frame for tooltips that `tip.ts` fills and the style sheet dresses. */
export const TOOLTIP_FRAME = {
  confine: true,
  backgroundColor: 'transparent',
  borderWidth: 0,
  padding: 0,
  extraCssText: 'box-shadow:none;z-index:5',
  transitionDuration: 0,
} as const;
