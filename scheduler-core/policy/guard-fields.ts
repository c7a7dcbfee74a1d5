import { MINUTE_MS, SECOND_MS } from '../kernel/index.ts';
import { type Field, flag, number, orUnlimited } from './field.ts';
import { mistakeAt, placeOfKey } from './mistakes.ts';
import type {
  BoostPolicy,
  CircuitBreakerPolicy,
  ShuffleShardingPolicy,
  StarvationGuardPolicy,
  WaitBudgetPolicy,
} from './policy.ts';
import { durationKey, key, record } from './record.ts';

const MAPPING = { what: 'a mapping' };
const RATIO = number({ above: 0, to: 1 });
const COUNT = number({ from: 1, whole: true });
const PER_HOUR = orUnlimited(number({ from: 0, whole: true }));

/** A hash of 64 bits deals evenly only hands that take clearly fewer (kubernetes/apiserver, shuffle sharding dealer). */
const MOST_HAND_BITS = 60;
const MOST_QUEUES = 2 ** 16;

export const shuffleShardingField: Field<ShuffleShardingPolicy> = record<ShuffleShardingPolicy>(
  {
    queues: key(
      { name: 'queues', about: 'How many queues there are.' },
      number({ from: 1, to: MOST_QUEUES, whole: true }),
    ),
    handSize: key({ name: 'hand_size', about: 'How many of them a tenant may use; at most queues.' }, COUNT),
  },
  {
    what: 'a mapping with queues and hand_size',
    check: ({ queues, handSize }, place) => {
      if (queues === undefined || handSize === undefined) return;
      const at = placeOfKey(place, 'hand_size');
      if (handSize > queues) mistakeAt(at, `must be at most queues (${queues}), not ${handSize}`);
      else if (Math.log2(queues) * handSize > MOST_HAND_BITS) {
        mistakeAt(at, `must be smaller: log2(queues) × hand_size is over ${MOST_HAND_BITS} bits of a tenant's hash`);
      }
    },
  },
);

export const DEFAULT_IN_FLIGHT_RATIO = 0.1;

export const starvationGuardField: Field<StarvationGuardPolicy> = record<StarvationGuardPolicy>(
  {
    maxWaitMs: durationKey({ name: 'max_wait', about: 'Requests that waited so long go first.' }),
    inFlightRatio: key(
      {
        name: 'in_flight_ratio',
        about: 'Part of the requests in flight that may be promoted ones; 1: no such budget.',
        absent: DEFAULT_IN_FLIGHT_RATIO,
      },
      RATIO,
    ),
    perTenantHourly: key(
      {
        name: 'per_tenant_hourly',
        about: 'Promotions per tenant and hour.',
        absent: Number.POSITIVE_INFINITY,
        defaultText: 'unlimited',
      },
      PER_HOUR,
    ),
  },
  { what: 'a mapping with max_wait' },
);

export const DEFAULT_WAIT_BUDGET: WaitBudgetPolicy = {
  predict: true,
  throughputQuantile: 0.25,
  boostShareMax: 0,
  perTenantBoostHourly: Number.POSITIVE_INFINITY,
};

export const waitBudgetField: Field<WaitBudgetPolicy> = record<WaitBudgetPolicy>(
  {
    predict: key(
      {
        name: 'predict',
        about: 'Refuse on arrival what could not be served in time; else only what outlived its budget is dropped.',
        absent: DEFAULT_WAIT_BUDGET.predict,
      },
      flag(),
    ),
    throughputQuantile: key(
      {
        name: 'throughput_quantile',
        about: 'Quantile of recent throughput that predictions rest on; smaller is more careful.',
        absent: DEFAULT_WAIT_BUDGET.throughputQuantile,
      },
      number({ above: 0, below: 1 }),
    ),
    boostShareMax: key(
      {
        name: 'boost_share_max',
        about: 'Promotions instead of refusals: part of the requests in flight.',
        absent: DEFAULT_WAIT_BUDGET.boostShareMax,
      },
      number({ from: 0, to: 1 }),
    ),
    perTenantBoostHourly: key(
      {
        name: 'per_tenant_boost_hourly',
        about: 'Promotions instead of refusals per tenant and hour.',
        absent: DEFAULT_WAIT_BUDGET.perTenantBoostHourly,
        defaultText: 'unlimited',
      },
      PER_HOUR,
    ),
  },
  MAPPING,
);

export const boostField: Field<BoostPolicy> = record<BoostPolicy>(
  {
    afterMs: durationKey({
      name: 'after',
      about: 'A class that waited so long without being served goes first.',
      absent: MINUTE_MS,
      defaultText: '60s',
    }),
    forMs: durationKey({ name: 'for', about: 'For so long.', absent: 30 * SECOND_MS, defaultText: '30s' }),
  },
  MAPPING,
);

export const circuitBreakerField: Field<CircuitBreakerPolicy> = record<CircuitBreakerPolicy>(
  {
    failures: key({ name: 'failures', about: 'Failures in a row that open it.', absent: 5 }, COUNT),
    coolDownMs: durationKey({
      name: 'cool_down',
      about: 'How long it stays open.',
      absent: 5 * SECOND_MS,
      defaultText: '5s',
    }),
    probes: key({ name: 'probes', about: 'Requests let through at a time while half open.', absent: 3 }, COUNT),
    successes: key({ name: 'successes', about: 'Probes that must succeed in a row to close it.', absent: 3 }, COUNT),
  },
  MAPPING,
);
