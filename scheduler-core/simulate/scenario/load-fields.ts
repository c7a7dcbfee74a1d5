import { type Field, number, orNull, pattern, text } from '../../policy/field.ts';
import { mistakeAt, placeOfKey } from '../../policy/mistakes.ts';
import { durationOrNullKey, key, record } from '../../policy/record.ts';
import type { ArrivalProcess } from '../arrival-process.ts';
import type { EstimateError, ServiceModel } from '../request-size.ts';
import type { Client } from '../simulated-request.ts';
import type { TenantLoad } from '../workload.ts';
import { arrivalsField } from './arrival-fields.ts';
import { clientField } from './client-fields.ts';
import { costField, estimateField, type ServiceParts, serviceField } from './service-fields.ts';

export interface LoadParts {
  /** A name, or the names of a range: `small{00..19}`. */
  readonly names: readonly string[];
  readonly weight: number | null;
  readonly class: string | null;
  readonly arrivals: ArrivalProcess;
  readonly service: ServiceParts;
  readonly cost: ServiceModel['cost'] | null;
  readonly estimate: EstimateError;
  readonly slots: number;
  readonly waitBudgetMs: number | null;
  readonly client: Client | null;
  readonly worker: number;
}

const POSITIVE = number({ above: 0 });
const MOST_TENANTS = 100_000;

/** `name`, or with one range in braces: `small{00..19}`. */
const namesField = pattern(
  'a name, or names of a range such as small{00..19}',
  '^([^{}]*)(?:\\{([0-9]{1,6})\\.\\.([0-9]{1,6})\\}([^{}]*))?$',
  ([, head = '', from, to, tail = '']) => {
    if (from === undefined || to === undefined) return head === '' ? [] : [head];
    const count = Math.min(MOST_TENANTS, Number(to) - Number(from) + 1);
    return Array.from({ length: Math.max(0, count) }, (_, index) => {
      return `${head}${String(Number(from) + index).padStart(from.length, '0')}${tail}`;
    });
  },
);

/** A load, or several alike. */
export const loadField: Field<LoadParts> = record<LoadParts>(
  {
    names: key({ name: 'name', about: 'The tenant, or several alike: small{00..19}.' }, namesField),
    weight: key(
      { name: 'weight', about: 'Its entitlement.', absent: null, defaultText: 'as each policy says' },
      orNull(POSITIVE),
    ),
    class: key(
      { name: 'class', about: 'Of its requests.', absent: null, defaultText: 'as each policy says' },
      orNull(text('a name, not empty')),
    ),
    arrivals: key({ name: 'arrivals', about: 'When requests come.' }, arrivalsField),
    service: key({ name: 'service', about: 'How long a slot is busy with one.' }, serviceField),
    cost: key(
      {
        name: 'cost',
        about: 'What a request costs.',
        absent: null,
        defaultText: 'tokens where there are any, else service_ms',
      },
      orNull(costField),
    ),
    estimate: key(
      { name: 'estimate', about: 'What the scheduler is told of it.', absent: { kind: 'none' }, defaultText: 'exact' },
      estimateField,
    ),
    slots: key({ name: 'slots', about: 'Slots that a request holds.', absent: 1 }, POSITIVE),
    waitBudgetMs: durationOrNullKey<never>({
      name: 'wait_budget',
      about: 'How long a request can wait.',
      absent: null,
      defaultText: 'as each policy says',
    }),
    client: key(
      { name: 'client', about: 'What its clients do.', absent: null, defaultText: 'they wait' },
      orNull(clientField),
    ),
    worker: key(
      { name: 'worker', about: "Which worker's queue, from 0.", absent: 0 },
      number({ from: 0, whole: true }),
    ),
  },
  {
    what: 'a mapping with name, arrivals and service',
    check: ({ names, cost, service }, place) => {
      if (names !== undefined && names.length === 0) {
        mistakeAt(placeOfKey(place, 'name'), 'names nobody');
      }
      if (cost === 'size' && service?.of === 'ms') mistakeAt(placeOfKey(place, 'cost'), 'the service has no tokens');
    },
  },
);

/** One load for each name. */
export function loadsOf(parts: LoadParts): TenantLoad[] {
  const { size, baseMs, perUnitMs, of } = parts.service;
  const cost = parts.cost ?? (of === 'tokens' ? 'size' : 'service_ms');
  return parts.names.map((tenant) => ({
    tenant,
    arrivals: parts.arrivals,
    service: { size, baseMs, perUnitMs, cost, estimate: parts.estimate },
    slots: parts.slots,
    ...(parts.class === null ? {} : { class: parts.class }),
    ...(parts.waitBudgetMs === null ? {} : { waitBudgetMs: parts.waitBudgetMs }),
    ...(parts.client === null ? {} : { client: parts.client }),
    ...(parts.worker === 0 ? {} : { worker: parts.worker }),
  }));
}
