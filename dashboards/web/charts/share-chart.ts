import type { EChartsCoreOption } from 'echarts/core';
import { nameElement } from '../dom.ts';
import { formatAmount, formatRatio, formatTimes } from '../format.ts';
import { displayName } from '../names.ts';
import type { ShareBar } from '../share-bars.ts';
import { TENANT_BADGES } from '../words.ts';
import { baseOption, createChart, type Palette, TOOLTIP_FRAME } from './chart-kit.ts';
import { tipElement } from './tip.ts';

const ROW_PX = 28;
const AXIS_PX = 30;
/** Where a bar relative to the fair share is cut: beyond it the others could not be told apart. */
const MAX_RELATIVE = 3;
/** From this ratio of the largest to the smallest amount on, a linear axis would hide the small ones. */
const LOG_FROM_RATIO = 30;
const NARROW_PX = 560;

/** `relative`: each bar ÷ the tenant's fair share. `amount`: in the pool's cost unit. */
export type ShareScale = 'relative' | 'amount';

export interface ShareChart {
  update(bars: readonly ShareBar[], scale: ShareScale, costUnit: string, palette: Palette): void;
}

/** Per tenant a wide bar for its demand, a narrow one for what it was served, and a mark at its fair share. */
export function createShareChart(target: HTMLElement): ShareChart {
  const chart = createChart(target);
  return {
    update(bars, scale, costUnit, palette) {
      target.style.height = `${bars.length * ROW_PX + AXIS_PX}px`;
      chart.resize();
      const narrow = target.clientWidth < NARROW_PX;
      chart.setOption(shareOption(bars, { scale, costUnit, palette, narrow }), {
        replaceMerge: ['series', 'xAxis', 'yAxis'],
      });
      target.setAttribute(
        'aria-label',
        `Demand, fair share and served of ${bars.length} bars; the table below has the figures.`,
      );
    },
  };
}

/** Whether a bar goes on beyond the end of the relative axis. */
export function isCut(bar: ShareBar): boolean {
  return Math.max(relativeTo(bar, bar.demandCost) ?? 0, relativeTo(bar, bar.servedCost) ?? 0) > MAX_RELATIVE;
}

export function barName(bar: ShareBar): string {
  if (bar.kind === 'tenant') return displayName(bar.tenant);
  return bar.tenantCount === 1 ? '1 other tenant' : `${bar.tenantCount} other tenants`;
}

interface ShareLook {
  readonly scale: ShareScale;
  readonly costUnit: string;
  readonly palette: Palette;
  readonly narrow: boolean;
}

function relativeTo(bar: ShareBar, cost: number | null): number | null {
  return cost === null || bar.fairShareCost === null || bar.fairShareCost <= 0 ? null : cost / bar.fairShareCost;
}

function shareOption(bars: readonly ShareBar[], look: ShareLook): EChartsCoreOption {
  const { scale, palette, narrow } = look;
  const scaled = (bar: ShareBar, cost: number | null) => (scale === 'relative' ? relativeTo(bar, cost) : cost);
  const cut = (value: number | null) =>
    scale === 'relative' && value !== null ? Math.min(value, MAX_RELATIVE) : value;
  const demand = bars.map((bar) => scaled(bar, bar.demandCost));
  const fairShare = bars.map((bar) => scaled(bar, bar.fairShareCost));
  const served = bars.map((bar) => scaled(bar, bar.servedCost));
  return {
    ...baseOption(),
    grid: { left: narrow ? 96 : 132, right: narrow ? 62 : 84, top: 4, bottom: AXIS_PX - 4 },
    xAxis: valueAxis([...demand, ...fairShare, ...served], look),
    yAxis: [nameAxis(bars, look), figureAxis(bars, look)],
    tooltip: {
      ...TOOLTIP_FRAME,
      trigger: 'axis',
      axisPointer: { type: 'shadow', shadowStyle: { color: palette.chosen } },
      formatter: (series: readonly { dataIndex: number }[]) => barTip(bars[series[0]?.dataIndex ?? -1], look.costUnit),
    },
    series: [
      {
        type: 'bar',
        name: 'demand',
        data: styled(bars, demand.map(cut), { color: palette.demand, hatch: palette.surface }),
        barWidth: 18,
        z: 1,
        label: cutLabel(demand, look),
      },
      {
        type: 'bar',
        name: 'served',
        // An axis of its own lays the narrow bar over the middle of the wide one.
        yAxisIndex: 1,
        data: styled(bars, served.map(cut), { color: palette.served, hatch: palette.surface }),
        barWidth: 8,
        z: 2,
      },
      {
        type: 'scatter',
        name: 'fair share',
        data: fairShare.map((value, index) => [value, index]),
        symbol: 'rect',
        symbolSize: [3, 22],
        z: 3,
        silent: true,
        itemStyle: { color: palette.ink, opacity: 1 },
      },
    ],
  };
}

/** A demand that goes on beyond the axis says how far. */
function cutLabel(demand: readonly (number | null)[], { scale, palette }: ShareLook): object {
  const formatter = ({ dataIndex }: { dataIndex: number }) => {
    const value = demand[dataIndex] ?? 0;
    return scale === 'relative' && value > MAX_RELATIVE ? `${formatTimes(value)} →` : '';
  };
  return { show: true, position: 'insideRight', color: palette.ink, fontSize: 11, formatter };
}

/** The remainder is hatched: it is no tenant. */
function styled(
  bars: readonly ShareBar[],
  values: readonly (number | null)[],
  { color, hatch }: { readonly color: string; readonly hatch: string },
): readonly object[] {
  return values.map((value, index) => {
    const isRest = bars[index]?.kind === 'rest';
    const decal = {
      symbol: 'rect',
      color: hatch,
      dashArrayX: [1, 0],
      dashArrayY: [3, 4],
      rotation: Math.PI / 4,
    };
    return { value, itemStyle: isRest ? { color, decal } : { color } };
  });
}

function valueAxis(values: readonly (number | null)[], { scale, costUnit, palette, narrow }: ShareLook): object {
  const positive = values.filter((value): value is number => value !== null && value > 0);
  const largest = Math.max(1, ...positive);
  const smallest = Math.min(largest, ...positive);
  const look = {
    position: 'bottom',
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: palette.line } },
    splitNumber: narrow ? 3 : 6,
  };
  if (scale === 'relative') {
    const max = Math.min(MAX_RELATIVE, Math.max(1.5, Math.ceil(largest * 2) / 2));
    const axisLabel = { color: palette.muted, hideOverlap: true, formatter: (value: number) => formatTimes(value) };
    return { ...look, type: 'value', min: 0, max, interval: narrow ? 1 : 0.5, axisLabel };
  }
  const axisLabel = { color: palette.muted, hideOverlap: true, formatter: (value: number) => formatAmount(value) };
  if (largest / smallest < LOG_FROM_RATIO) return { ...look, type: 'value', min: 0, axisLabel, name: costUnit };
  const min = 10 ** Math.floor(Math.log10(smallest));
  return { ...look, type: 'log', logBase: 10, min, axisLabel };
}

function nameAxis(bars: readonly ShareBar[], { palette, narrow }: ShareLook): object {
  return {
    type: 'category',
    inverse: true,
    // Positions, not names: two bars may have one name, and a name may look like anything.
    data: bars.map((_bar, index) => index),
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      color: (index: string) => (bars[Number(index)]?.kind === 'rest' ? palette.muted : palette.ink),
      width: narrow ? 84 : 120,
      overflow: 'truncate',
      interval: 0,
      formatter: (index: string) => {
        const bar = bars[Number(index)];
        return bar === undefined ? '' : barName(bar);
      },
    },
  };
}

/** On the right: the verdict's symbol and the normalized share. */
function figureAxis(bars: readonly ShareBar[], { palette }: ShareLook): object {
  return {
    type: 'category',
    inverse: true,
    position: 'right',
    data: bars.map((_bar, index) => index),
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      color: (index: string) => {
        const bar = bars[Number(index)];
        return bar?.kind === 'tenant' && bar.verdict === 'short' ? palette.bad : palette.muted;
      },
      interval: 0,
      formatter: (index: string) => figureOf(bars[Number(index)]),
    },
  };
}

function figureOf(bar: ShareBar | undefined): string {
  if (bar === undefined) return '';
  const share = shareWords(bar);
  return bar.kind === 'tenant' ? `${TENANT_BADGES[bar.verdict].symbol} ${share}` : share;
}

/** A tenant that asked for nothing has no share, and that is known. */
function shareWords(bar: ShareBar): string {
  if (bar.normalizedShare !== null) return formatRatio(bar.normalizedShare);
  return bar.demandCost === 0 ? 'no demand' : 'unknown';
}

function barTip(bar: ShareBar | undefined, costUnit: string): HTMLElement {
  if (bar === undefined) return tipElement('', []);
  const cost = (amount: number | null) => (amount === null ? 'unknown' : `${formatAmount(amount)} ${costUnit}`);
  return tipElement(bar.kind === 'tenant' ? nameElement(bar.tenant) : barName(bar), [
    { label: 'Demand', value: cost(bar.demandCost) },
    { label: 'Fair share', value: cost(bar.fairShareCost) },
    { label: 'Served', value: cost(bar.servedCost) },
    { label: 'Normalized share', value: shareWords(bar) },
    ...(bar.kind === 'tenant'
      ? [{ label: 'Verdict', value: `${TENANT_BADGES[bar.verdict].symbol} ${bar.verdict}` }]
      : []),
  ]);
}
