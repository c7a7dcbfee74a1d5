import { type Explanation, fillingSentence, type LedgerEntry, type ListedFilling } from '../../analytics/index.ts';
import { type Column, formatFigure, formatTable, printable } from '../output.ts';

/** Rows of a table for people; the rest is in the JSON. */
const MAX_ROWS = 20;
const MAX_STEP_ROWS = 12;
const MAX_GROUPS = 5;
const MAX_CAUSES = 4;

/** An explanation as the person on call reads it: sentences, then what they rest on. */
export function describeExplanation(explanation: Explanation): string {
  return [summary(explanation), tenantsTable(explanation), fillingTables(explanation), ledgerTable(explanation)]
    .filter((part) => part !== '')
    .join('\n');
}

function summary({ summary: sentences, notes }: Explanation): string {
  return [...sentences, ...notes.map(({ text }) => `Note: ${text}`)].map((line) => `${line}\n`).join('');
}

type TenantRow = Explanation['tenants'][number];
type StepRow = ListedFilling['steps'][number];

function tenantsTable(explanation: Explanation): string {
  const { tenants, tenants_left_out: leftOut, window, tenant: asked } = explanation;
  if (tenants.length === 0) return '';
  const named = namedTenants(explanation);
  const rows = tenants.filter((row, place) => place < MAX_ROWS || named.has(row.tenant));
  const cost = (title: string, value: (row: TenantRow) => number | null): Column<TenantRow> => {
    return { title, value: (row) => formatFigure(value(row), 1), align: 'right' };
  };
  const grouped = tenants.some((row) => row.group !== null);
  const table = formatTable(rows, [
    { title: 'tenant', value: (row) => row.tenant },
    ...(grouped ? [{ title: 'group', value: (row: TenantRow) => row.group ?? '–' }] : []),
    { title: 'weight', value: (row) => formatFigure(row.weight), align: 'right' },
    { title: 'verdict', value: (row) => row.verdict },
    cost('demand', (row) => row.demand_cost),
    cost('entitled', (row) => row.ideal_cost),
    cost('served', (row) => row.served_cost),
    { title: 'share', value: (row) => formatFigure(row.normalized_share), align: 'right' },
    cost('overdue', (row) => row.deficit_cost),
    cost('beyond', (row) => row.excess_cost),
    cost('taken from others', (row) => row.attributed_cost),
  ]);
  return `Who was entitled to what (costs in ${window.cost_unit})\n${table}${more(tenants.length - rows.length + (asked === null ? leftOut : 0), 'tenant', 'tenants')}`;
}

/** Whom the causes name: they are listed even where they stand behind many others. */
function namedTenants({ ledger, top_cause: top }: Explanation): ReadonlySet<string | null> {
  return new Set([top.tenant, ...(ledger?.entries ?? []).map(({ tenant }) => tenant)]);
}

function fillingTables({ filling, window, tenants }: Explanation): string {
  if (filling === null) return '';
  const basis = `${formatFigure(filling.capacity_cost, 1)} ${window.cost_unit} (${window.capacity.basis})`;
  const title = `How the capacity of the window, ${basis}, is shared${filling.groups.length > 0 ? ', over groups first' : ''}`;
  const fluid = tenants.some((row) => row.basis === 'fluid')
    ? 'The verdicts go by the same filling second by second.\n'
    : '';
  const inside = filling.groups.slice(0, MAX_GROUPS).map(({ group, share_cost: share, inside: listed }) => {
    return `Inside group ${printable(group)}, which has ${formatFigure(share, 1)}\n${stepsTable(listed, window.cost_unit)}`;
  });
  const groupsLeft = Math.max(0, filling.groups.length - MAX_GROUPS) + filling.groups_left_out;
  return (
    [`${title}\n${fluid}${stepsTable(filling, window.cost_unit)}`, ...inside].join('\n') +
    more(groupsLeft, 'group', 'groups')
  );
}

function stepsTable(filling: ListedFilling, unit: string): string {
  const sentence = `${fillingSentence(filling, unit)}\n`;
  const { steps } = filling;
  if (steps.length === 0) return sentence;
  const rows =
    steps.length <= MAX_STEP_ROWS ? steps : [...steps.slice(0, MAX_STEP_ROWS / 2), ...steps.slice(-MAX_STEP_ROWS / 2)];
  const table = formatTable(rows, [
    { title: 'step', value: (row) => String(placeOf(row, filling)), align: 'right' },
    { title: 'who', value: (row) => (row.kind === 'group' ? `group ${row.name}` : row.name) },
    { title: 'weight', value: (row) => formatFigure(row.weight), align: 'right' },
    { title: 'asked', value: (row) => formatFigure(row.demand_cost, 1), align: 'right' },
    {
      title: 'met at level',
      value: (row) => (row.level === null ? 'not met' : formatFigure(row.level, 1)),
      align: 'right',
    },
    { title: 'share', value: (row) => formatFigure(row.share_cost, 1), align: 'right' },
    { title: 'capacity left', value: (row) => formatFigure(row.capacity_left_cost, 1), align: 'right' },
  ]);
  return `${sentence}${table}${more(steps.length - rows.length + filling.steps_left_out, 'step between them', 'steps between them')}`;
}

/** Steps left out of the list stand in its middle. */
function placeOf(row: StepRow, { steps, steps_left_out: leftOut }: ListedFilling): number {
  const place = steps.indexOf(row);
  return place < steps.length / 2 || leftOut === 0 ? place + 1 : place + leftOut + 1;
}

function ledgerTable({ ledger, window }: Explanation): string {
  if (ledger === null) return '';
  const rows = ledger.tenants.slice(0, MAX_ROWS);
  const all = { tenant: 'all of them', deficit_cost: ledger.deficit_cost, entries: ledger.entries };
  const left = ledger.tenants.length - rows.length + ledger.tenants_left_out;
  const table = formatTable(rows.length + left > 1 ? [...rows, all] : rows, [
    { title: 'short', value: (row) => row.tenant },
    { title: 'overdue', value: (row) => formatFigure(row.deficit_cost, 1), align: 'right' },
    { title: 'put down to', value: (row) => causesText(row.entries) },
  ]);
  return `What the shortfalls are put down to (costs in ${window.cost_unit})\n${table}${more(left, 'short tenant', 'short tenants')}`;
}

function causesText(entries: readonly LedgerEntry[]): string {
  const shown = entries.slice(0, MAX_CAUSES).map((entry) => `${entry.percent}% ${causeText(entry)}`);
  const rest = entries.slice(MAX_CAUSES).reduce((total, entry) => total + entry.percent, 0);
  return [...shown, ...(entries.length > MAX_CAUSES ? [`${rest}% others`] : [])].join(', ');
}

function causeText(entry: LedgerEntry): string {
  if (entry.cause === 'none') return 'nobody';
  if (entry.cause !== 'over_served') return entry.cause.replaceAll('_', ' ');
  return entry.tenant ?? `${entry.tenants} more ${entry.tenants === 1 ? 'tenant' : 'tenants'}`;
}

function more(count: number, one: string, many: string): string {
  return count > 0 ? `… and ${count} ${count === 1 ? one : many} more (--json lists more)\n` : '';
}
