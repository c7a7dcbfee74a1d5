import type { TenantVerdict, TenantWindow, Window } from '../../api-schema.ts';
import { badgeElement, byId, element, nameElement, setText, unknownElement } from '../dom.ts';
import { formatAmount, formatRatio, formatWait } from '../format.ts';
import { type Cell, type Row, setRows } from '../table-rows.ts';
import { reasonWords, TENANT_BADGES, TENANT_VERDICT_MEANINGS } from '../words.ts';

const FIRST_ROWS = 25;
const MORE_ROWS = 100;

interface Column {
  readonly title: string;
  readonly isNumber: boolean;
  /** What it sorts by; unknown figures sort last either way. */
  readonly key: (tenant: TenantWindow) => number | string | null;
  readonly cell: (tenant: TenantWindow) => readonly (Node | string)[];
}

const VERDICT_ORDER: readonly TenantVerdict[] = ['short', 'over', 'capped', 'unknown', 'fair', 'idle'];

const COLUMNS: readonly Column[] = [
  { title: 'Tenant', isNumber: false, key: (tenant) => tenant.tenant, cell: (tenant) => [nameElement(tenant.tenant)] },
  { title: 'Weight', isNumber: true, key: (tenant) => tenant.weight, cell: (tenant) => [formatAmount(tenant.weight)] },
  {
    title: 'Verdict',
    isNumber: false,
    key: (tenant) => VERDICT_ORDER.indexOf(tenant.verdict),
    cell: (tenant) => [badgeElement(TENANT_BADGES[tenant.verdict])],
  },
  {
    title: 'Demand',
    isNumber: true,
    key: (tenant) => tenant.demand_cost,
    cell: (tenant) => amount(tenant.demand_cost),
  },
  {
    title: 'Fair share',
    isNumber: true,
    key: (tenant) => tenant.fair_share_cost,
    cell: (tenant) => amount(tenant.fair_share_cost),
  },
  {
    title: 'Served',
    isNumber: true,
    key: (tenant) => tenant.served_cost,
    cell: (tenant) => amount(tenant.served_cost),
  },
  { title: 'Normalized share', isNumber: true, key: (tenant) => tenant.normalized_share, cell: shareContent },
  { title: 'Wait p99', isNumber: true, key: (tenant) => tenant.wait_ms.p99, cell: waitContent },
  { title: 'Rejected', isNumber: true, key: rejectedCount, cell: rejectedContent },
];

export interface TenantsTable {
  /** `key` tells one window from another: rows that were unfolded stay so while the same window is refreshed. */
  update(window: Window, key: string): void;
}

/** Every tenant of a window, sortable, a page at a time: a pool may have ten thousand. */
export function createTenantsTable(): TenantsTable {
  const rows = byId('tenants-rows', HTMLElement);
  const count = byId('tenants-count', HTMLElement);
  const more = byId('tenants-more', HTMLButtonElement);
  setText(byId('tenants-legend', HTMLElement), legendText());
  let tenants: readonly TenantWindow[] = [];
  let shownKey = '';
  let limit = FIRST_ROWS;
  const draw = () => {
    const sorted = sortTenants(tenants, sorting.column(), sorting.descending());
    setRows(rows, sorted.slice(0, limit).map(tenantRow));
    const all = tenants.length <= limit;
    setText(count, all ? `All ${tenants.length} tenants` : `${limit} of ${formatAmount(tenants.length)} tenants`);
    more.hidden = all;
  };
  const sorting = createSorting(draw);
  more.addEventListener('click', () => {
    limit += MORE_ROWS;
    draw();
  });
  return {
    update(window, key) {
      if (key !== shownKey) limit = FIRST_ROWS;
      shownKey = key;
      tenants = window.tenants;
      draw();
    },
  };
}

interface Sorting {
  column(): Column | undefined;
  descending(): boolean;
}

function createSorting(onChange: () => void): Sorting {
  const head = byId('tenants-head', HTMLElement);
  let index = COLUMNS.findIndex((column) => column.title === 'Demand');
  let descending = true;
  const mark = () => {
    [...head.children].forEach((cell, column) => {
      if (column === index) cell.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      else cell.removeAttribute('aria-sort');
    });
  };
  COLUMNS.forEach((column, columnIndex) => {
    const button = element('button', 'sort', column.title);
    button.type = 'button';
    button.addEventListener('click', () => {
      descending = index === columnIndex ? !descending : column.isNumber;
      index = columnIndex;
      mark();
      onChange();
    });
    const cell = element('th', column.isNumber ? 'number' : '', button);
    cell.scope = 'col';
    head.append(cell);
  });
  mark();
  return { column: () => COLUMNS[index], descending: () => descending };
}

function sortTenants(
  tenants: readonly TenantWindow[],
  column: Column | undefined,
  descending: boolean,
): readonly TenantWindow[] {
  if (column === undefined) return tenants;
  return [...tenants].sort((a, b) => {
    const [left, right] = [column.key(a), column.key(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const order = left < right ? -1 : left > right ? 1 : 0;
    return (descending ? -order : order) || (a.tenant < b.tenant ? -1 : 1);
  });
}

function tenantRow(tenant: TenantWindow): Row {
  return {
    cells: COLUMNS.map((column, index): Cell => {
      const content = column.cell(tenant);
      return index === 0 ? { kind: 'head', content } : column.isNumber ? { kind: 'number', content } : { content };
    }),
  };
}

function amount(cost: number | null): readonly (Node | string)[] {
  return [cost === null ? element('span', 'unknown', 'unknown') : formatAmount(cost)];
}

function shareContent(tenant: TenantWindow): readonly (Node | string)[] {
  if (tenant.normalized_share !== null) return [formatRatio(tenant.normalized_share)];
  // Without demand there is no share to fall short of: that is known.
  return [element('span', 'unknown', tenant.demand_cost === 0 ? 'no demand' : 'unknown')];
}

function waitContent({ wait_ms: wait }: TenantWindow): readonly (Node | string)[] {
  if (wait.p99 !== null) return [formatWait(wait.p99)];
  if (wait.samples === 0 && wait.reason === undefined) return [element('span', 'unknown', 'none waited')];
  return [unknownElement(reasonWords(wait.reason))];
}

function rejectedCount(tenant: TenantWindow): number {
  return Object.values(tenant.rejected).reduce((sum, rejected) => sum + rejected, 0);
}

function rejectedContent(tenant: TenantWindow): readonly (Node | string)[] {
  const reasons = Object.entries(tenant.rejected).filter(([, rejected]) => rejected > 0);
  const count = formatAmount(rejectedCount(tenant));
  const [only, ...others] = reasons;
  if (only === undefined) return [count];
  if (others.length === 0) return [element('span', 'before', reasonWords(only[0])), count];
  const why = reasons.map(([reason, rejected]) => `${reasonWords(reason)} ${formatAmount(rejected)}`);
  return [count, element('span', 'aside', why.join(', '))];
}

function legendText(): string {
  return VERDICT_ORDER.map(
    (verdict) => `${TENANT_BADGES[verdict].symbol} ${verdict}: ${TENANT_VERDICT_MEANINGS[verdict]}`,
  ).join(' · ');
}
