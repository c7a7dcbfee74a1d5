import {
  type ClassTerms,
  classDocument,
  isEmptyDiff,
  type PolicyDiff,
  type QuotaTerms,
  type TenantTerms,
  tenantDocument,
} from '../../analytics/index.ts';
import { formatTable, printable } from '../output.ts';

/** What differs between two policies, as a table of at most `most` rows. */
export function diffText(diff: PolicyDiff, most: number): string {
  if (isEmptyDiff(diff)) return 'no weight, group, class or quota differs\n';
  const rows = rowsOf(diff);
  const table = formatTable(rows.slice(0, most), [
    { title: 'of', value: ({ of }) => of },
    { title: 'name', value: ({ name }) => name },
    { title: 'change', value: ({ change }) => change },
    { title: 'before → after', value: ({ terms }) => terms },
  ]);
  return rows.length <= most ? table : `${table}and ${rows.length - most} more: --json has all of them\n`;
}

interface DiffRow {
  readonly of: string;
  readonly name: string;
  readonly change: string;
  readonly terms: string;
}

function rowsOf({ defaultTenant, tenants, groups, classes }: PolicyDiff): DiffRow[] {
  const unnamed =
    defaultTenant === null
      ? []
      : [
          {
            of: 'others',
            name: '(not named)',
            change: 'changed',
            terms: tenantChange(defaultTenant.before, defaultTenant.after),
          },
        ];
  return [
    ...unnamed,
    ...tenants.map(({ tenant, kind, before, after }) => ({
      of: 'tenant',
      name: tenant,
      change: kind,
      terms: tenantChange(before, after),
    })),
    ...groups.map(({ group, kind, before, after }) => ({
      of: 'group',
      name: group,
      change: kind,
      terms: step('weight', before, after),
    })),
    ...classes.map(({ class: name, kind, before, after }) => ({
      of: 'class',
      name,
      change: kind,
      terms: classChange(before, after),
    })),
  ];
}

function tenantChange(before: TenantTerms, after: TenantTerms): string {
  const steps = [
    step('weight', before.weight, after.weight),
    step('group', before.group, after.group),
    step('class', before.class, after.class),
    step('quota', quotaText(before.quota), quotaText(after.quota)),
  ].filter((text) => text !== '');
  return steps.length === 0 ? `weight ${after.weight} as before` : steps.join(', ');
}

function classChange(before: ClassTerms | null, after: ClassTerms | null): string {
  return [
    step('weight', before?.weight ?? null, after?.weight ?? null),
    step('wait budget', budgetText(before), budgetText(after)),
    step('target', targetText(before), targetText(after)),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** `weight 2 → 3`; empty where nothing differs. */
function step(what: string, before: string | number | null, after: string | number | null): string {
  return before === after ? '' : `${what} ${before ?? 'none'} → ${after ?? 'none'}`;
}

function quotaText(quota: QuotaTerms | null): string | null {
  if (quota === null) return null;
  const unit = quota.unit === 'cost' ? ' of cost' : '';
  return `${quota.ratePerS}/s${unit} burst ${quota.burst}${quota.mode === 'hold' ? ' held' : ''}`;
}

function budgetText(terms: ClassTerms | null): string | null {
  return terms === null || terms.waitBudgetMs === null ? null : `${terms.waitBudgetMs} ms`;
}

function targetText(terms: ClassTerms | null): string | null {
  if (terms === null || terms.target === null) return null;
  return `${terms.target.ratio} under ${terms.target.waitBelowMs} ms`;
}

/** The same as JSON, whole. */
export function diffJson({ defaultTenant, tenants, groups, classes }: PolicyDiff) {
  return {
    default_tenant:
      defaultTenant === null
        ? null
        : { before: tenantDocument(defaultTenant.before), after: tenantDocument(defaultTenant.after) },
    tenants: tenants.map(({ tenant, kind, before, after }) => ({
      tenant,
      change: kind,
      before: tenantDocument(before),
      after: tenantDocument(after),
    })),
    groups: groups.map(({ group, kind, before, after }) => ({
      group,
      change: kind,
      before_weight: before,
      after_weight: after,
    })),
    classes: classes.map(({ class: name, kind, before, after }) => ({
      class: name,
      change: kind,
      before: before === null ? null : classDocument(before),
      after: after === null ? null : classDocument(after),
    })),
  };
}

/** A policy of the store by its name and the time from which it holds. */
export function policyWords(policy: { readonly name: string; readonly atMs: number } | null): string {
  if (policy === null) return 'no policy (every tenant has weight 1, or what configuration and requests say)';
  return `${shownName(policy.name)} from ${timeText(policy.atMs)}`;
}

export function policyHeadJson(
  policy: { readonly name: string; readonly digest: string; readonly atMs: number } | null,
) {
  return policy === null ? null : { name: policy.name, digest: policy.digest, from: timeText(policy.atMs) };
}

export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A name of a file or pool, in quotes. */
export function shownName(name: string): string {
  return `"${printable(name)}"`;
}

/** A word as a shell takes it. */
export function shellWord(text: string): string {
  if (/^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$/.test(text)) return text;
  return printable(`'${text.replaceAll("'", "'\\''")}'`);
}
