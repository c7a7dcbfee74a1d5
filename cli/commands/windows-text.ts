import type { PoolWindows, Window } from '../../analytics/index.ts';
import { formatFigure, formatMs, formatTable, printable } from '../output.ts';

/** Windows as a person reads them: a table, then who was short or over in the windows that were not fair. */
export function describeWindows(result: PoolWindows): string {
  if (result.windows.length === 0) return `pool ${printable(result.pool)}: no windows in this range\n`;
  const table = formatTable(result.windows, [
    { title: 'window', value: (window) => window.start.replace('.000Z', 'Z') },
    { title: 'verdict', value: describeVerdict },
    { title: 'Jain', value: (window) => formatFigure(window.jain_index), align: 'right' },
    {
      title: 'min share',
      value: (window) => {
        const least = window.min_normalized_share;
        return least === null ? '–' : `${formatFigure(least.value)} ${least.tenant}`;
      },
    },
    {
      title: 'in-share p99',
      value: (window) =>
        `${formatMs(window.in_share.p99_wait_ms)}${window.in_share.sufficient || window.in_share.p99_wait_ms === null ? '' : ` (n=${window.in_share.samples})`}`,
      align: 'right',
    },
    { title: 'served', value: (window) => formatFigure(window.served_cost, 1), align: 'right' },
    { title: 'demand', value: (window) => formatFigure(window.demand_cost, 1), align: 'right' },
    { title: 'capacity', value: (window) => formatFigure(window.capacity.cost, 1), align: 'right' },
    { title: 'state', value: (window) => window.state },
  ]);
  const unit = result.windows[0]?.cost_unit ?? '';
  return `pool ${printable(result.pool)} (costs in ${unit})\n${table}${result.windows.map(describeGrievances).join('')}`;
}

function describeVerdict(window: Window): string {
  if (window.verdict !== 'unknown') return window.verdict;
  const reasons = window.verdict_reasons.map((reason) =>
    reasonWords(reason === 'no_capacity' ? (window.capacity.reason ?? reason) : reason),
  );
  return `unknown (${reasons.join(', ')})`;
}

const MAX_NAMED = 8;

function describeGrievances(window: Window): string {
  if (window.verdict !== 'unfair') return '';
  const names = (verdict: string): string => {
    const tenants = window.tenants.filter((tenant) => tenant.verdict === verdict);
    const shown = tenants
      .slice(0, MAX_NAMED)
      .map((tenant) => `${printable(tenant.tenant)} (${formatFigure((tenant.fluid ?? tenant).normalized_share, 2)})`);
    const more = tenants.length > MAX_NAMED ? ` and ${tenants.length - MAX_NAMED} more` : '';
    return tenants.length === 0 ? 'nobody' : shown.join(', ') + more;
  };
  const causes = window.causes.map((cause) => cause.cause.replaceAll('_', ' ')).join(', ');
  return `  ${window.start}: short ${names('short')}; over ${names('over')}; cause: ${causes}\n`;
}

const REASONS: Readonly<Record<string, string>> = {
  no_tenants: 'the log names no tenants',
  no_waits: 'the log has no queue waits',
  no_capacity: 'the capacity is not known',
  not_declared: 'the capacity is not known: give --slots',
  nothing_served_yet: 'nothing was served yet, so nobody knows how fast the slots are',
  conflicts: 'events contradict each other',
  coverage: 'events are missing',
};

/** A reason code in words. */
export function reasonWords(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll('_', ' ');
}
