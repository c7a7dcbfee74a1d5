import { UNSAID, type Unsaid } from './discipline-fields.ts';
import { choice, entriesOf, type Field, number, orNull, orUnlimited, text } from './field.ts';
import { list, type NamedValue, named, type ReadList } from './list-fields.ts';
import { describeValue, mistakeAt } from './mistakes.ts';
import type { ClassPolicy, GroupPolicy, QuotaPolicy, ServiceTarget } from './policy.ts';
import { durationKey, durationOrNullKey, type Key, type Keys, key, record } from './record.ts';

/** What a file says of a tenant. */
export interface TenantParts {
  readonly weight: number | Unsaid;
  readonly class: string | null | Unsaid;
  readonly queueLimit: number | Unsaid;
  readonly quota: QuotaPolicy | null | Unsaid;
  readonly waitBudgetMs: number | null | Unsaid;
}

export interface NamedTenantParts extends TenantParts {
  readonly name: string;
}

/** What the fuller form says of a tenant by name. */
export interface GroupedTenantParts extends NamedTenantParts {
  readonly group: string | null;
}

export interface NamedClassParts extends ClassPolicy {
  readonly name: string;
}

/** How many requests may wait. */
export const queueLimitField: Field<number> = orUnlimited(number({ from: 1, whole: true }));

/** Schedulers refuse weight 0; analytics knows it. */
export function weightField(options: { readonly zero: boolean }): Field<number> {
  return number(options.zero ? { from: 0 } : { above: 0 });
}

export const nameKey = (about: string): Key<string> => key({ name: 'name', about }, text('a name, not empty'));

const quotaField = record<QuotaPolicy>(
  {
    ratePerS: key({ name: 'rate_per_s', about: 'Sustained rate, units per second.' }, number({ from: 0 })),
    burst: key({ name: 'burst', about: 'Units that may be taken at once.' }, number({ above: 0 })),
    unit: key(
      { name: 'unit', about: 'What a request takes of it: 1, or its cost.', absent: 'requests' },
      choice(
        new Map([
          ['requests', 'requests'],
          ['cost', 'cost'],
        ]),
      ),
    ),
    mode: key(
      {
        name: 'mode',
        about: 'Over quota: refuse on arrival, or queue and hold back until the bucket covers it.',
        absent: 'refuse',
      },
      choice(
        new Map([
          ['refuse', 'refuse'],
          ['hold', 'hold'],
        ]),
      ),
    ),
  },
  { what: 'a mapping with rate_per_s and burst' },
);

/** The keys of a tenant; what one leaves out is as the default says. */
function tenantKeys(weight: Field<number>, defaults: TenantDefaultTexts): Keys<TenantParts> {
  return {
    weight: key<number | Unsaid>(
      { name: 'weight', about: 'Relative entitlement.', absent: UNSAID, defaultText: defaults.weight },
      weight,
    ),
    class: key<string | null | Unsaid>(
      {
        name: 'class',
        about: 'The class of its requests that bring none.',
        absent: UNSAID,
        defaultText: defaults.class,
      },
      orNull(text('the name of a class')),
    ),
    queueLimit: key<number | Unsaid>(
      { name: 'queue_limit', about: 'Requests of it that may wait.', absent: UNSAID, defaultText: defaults.queueLimit },
      queueLimitField,
    ),
    quota: key<QuotaPolicy | null | Unsaid>(
      { name: 'quota', about: 'Its token bucket, before the queue.', absent: UNSAID, defaultText: defaults.quota },
      orNull(quotaField),
    ),
    waitBudgetMs: durationOrNullKey<Unsaid>(
      {
        name: 'wait_budget',
        about: 'How long a request of it can wait; null: as its class says.',
        absent: UNSAID,
        defaultText: defaults.waitBudget,
      },
      { unlimited: true },
    ),
  };
}

/** What holds where a tenant leaves a key out, in words. */
export interface TenantDefaultTexts {
  readonly weight: string;
  readonly class: string;
  readonly queueLimit: string;
  readonly quota: string;
  readonly waitBudget: string;
}

const AS_DEFAULT_TENANT: TenantDefaultTexts = {
  weight: 'as default_tenant',
  class: 'as default_tenant',
  queueLimit: 'as default_tenant',
  quota: 'as default_tenant',
  waitBudget: 'as default_tenant',
};

export function defaultTenantField(weight: Field<number>): Field<TenantParts> {
  const defaults = {
    weight: '1',
    class: 'none',
    queueLimit: 'queue.per_tenant_limit',
    quota: 'off',
    waitBudget: 'null',
  };
  return record<TenantParts>(tenantKeys(weight, defaults), { what: 'a mapping' });
}

const TENANT_NAME = nameKey('Who it is, as in the requests.');
const IN_TENANT = { what: 'a mapping with a name' } as const;
const IN_TENANTS = { what: 'a list of tenants', unique: 'name' } as const;

export function tenantsField(weight: Field<number>): Field<ReadList<GroupedTenantParts>> {
  const group = key<string | null>(
    { name: 'group', about: 'With whom it shares as one, in windows.', absent: null, defaultText: 'none' },
    orNull(text('the name of a group')),
  );
  const keys = { name: TENANT_NAME, ...tenantKeys(weight, AS_DEFAULT_TENANT), group };
  return list(record<GroupedTenantParts>(keys, IN_TENANT), IN_TENANTS);
}

/** Tenants as gateways write them: nobody is in a group. */
export function gatewayTenantsField(
  weight: Field<number>,
  defaults: TenantDefaultTexts,
): Field<ReadList<GroupedTenantParts>> {
  const keys = { name: TENANT_NAME, ...tenantKeys(weight, defaults) };
  const tenants = list(record<NamedTenantParts>(keys, IN_TENANT), IN_TENANTS);
  return {
    ...tenants,
    read: (value, place) => {
      const read = tenants.read(value, place);
      if (read === undefined) return undefined;
      return { ...read, items: read.items.map((item) => ({ ...item, value: { ...item.value, group: null } })) };
    },
  };
}

/** `weights: { TENANT: WEIGHT }`. */
export function weightsField(weight: Field<number>): Field<ReadList<NamedValue<number>>> {
  return named(weight, 'a mapping from tenants to weights');
}

/** `groups: { NAME: { weight: W } }`. A group may have weight 0 for schedulers too: they do not look at it. */
export const groupsField: Field<ReadList<NamedValue<GroupPolicy>>> = named(
  record<GroupPolicy>(
    {
      weight: key(
        { name: 'weight', about: 'Entitlement of its tenants together.', absent: 1 },
        weightField({ zero: true }),
      ),
    },
    { what: 'a mapping' },
  ),
  'a mapping of groups',
);

const targetField = record<ServiceTarget>(
  {
    ratio: key({ name: 'ratio', about: 'Part of the requests.' }, number({ above: 0, to: 1 })),
    waitBelowMs: durationKey({ name: 'wait_below', about: 'What they are to wait less than.' }),
  },
  { what: 'a mapping with ratio and wait_below' },
);

const classKeys: Keys<ClassPolicy> = {
  weight: key(
    { name: 'weight', about: 'For priority by weights and for slo_weights.', absent: 1 },
    weightField({ zero: false }),
  ),
  waitBudgetMs: durationOrNullKey<never>(
    {
      name: 'wait_budget',
      about: 'How long a request can wait of which neither itself nor its tenant says it.',
      absent: null,
      defaultText: 'unlimited',
    },
    { unlimited: true },
  ),
  target: key({ name: 'target', about: 'For slo_weights.', absent: null, defaultText: 'none' }, orNull(targetField)),
};

const classInMap = named(record<ClassPolicy>(classKeys, { what: 'a mapping' }), 'a mapping of classes');
const classInList = list(
  record<NamedClassParts>(
    { name: nameKey('What tenants and requests call it.'), ...classKeys },
    { what: 'a mapping with a name' },
  ),
  { what: 'a list of classes', unique: 'name' },
);

/** A list of mappings with names, or a mapping from names. */
export const classesField: Field<ReadList<NamedClassParts>> = {
  allowed: 'a list or a mapping of classes',
  schema: { anyOf: [classInList.schema, classInMap.schema] },
  keys: classInList.keys ?? [],
  read: (value, place) => {
    if (Array.isArray(value)) return classInList.read(value, place);
    if (entriesOf(value) === null) {
      return mistakeAt(place, `must be a list or a mapping of classes, not ${describeValue(value)}`);
    }
    const classes = classInMap.read(value, place);
    if (classes === undefined) return undefined;
    const items = classes.items.map(({ value: { name, value: one }, place: at }) => ({
      value: { ...one, name },
      place: at,
    }));
    return { items, isWhole: classes.isWhole };
  },
};
