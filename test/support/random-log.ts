import type { DecisionEvent, RejectReason } from '../../ingest/event/decision-event.ts';
import { seededRandom } from '../../scheduler-core/index.ts';
import type { LiteralOptions, LiteralPolicy } from './literal-windows.ts';
import { event } from './temporary-store.ts';

export interface RandomLog {
  readonly events: readonly DecisionEvent[];
  readonly options: LiteralOptions;
}

const REASONS: readonly RejectReason[] = ['quota', 'queue_full', 'wait_budget', 'circuit_open', 'degraded', 'other'];
const GROUPS = ['g', "g'2", '__other__'] as const;
const NAMES = ['a', 'b', '__other__', 'a/b', '..', '=cmd|x', '中文', '🦊', "o'hara\\n", 'tab\u00a0', 'Z', 'é'];

/**
 * A log that nobody planned: long and short requests, refusals of every kind, people who give up, open and lost
 * requests, retries, skewed clocks, weights, costs of each unit and origin, capacity of each basis, idle gaps.
 */
export function randomLog(seed: number): RandomLog {
  const random = seededRandom(seed);
  const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[Math.floor(random.next() * values.length)] ?? values[0];
  const between = (low: number, high: number): number => low + Math.floor(random.next() * (high - low));
  const windowMs = pick([1_000, 10_000, 60_000]);
  const windows = between(2, 9);
  const fromMs = Math.floor(1_790_848_800_000 / windowMs) * windowMs;
  const toMs = fromMs + windows * windowMs;
  const basis = pick(['slots', 'slots', 'slots', 'configured', 'inferred'] as const);
  const uniformSlots = random.next() < 0.7;
  // Now and then hundreds of tenants, or nobody at all.
  const isLarge = seed % 10 === 7;
  const isEmpty = seed % 25 === 20;
  const tenants = isLarge
    ? [...NAMES, ...Array.from({ length: between(50, 490) }, (_, index) => `t${index}`)]
    : NAMES.slice(0, between(1, NAMES.length));
  const longestMs = pick([windowMs / 20, windowMs / 2, windowMs * 3]);
  const busiestMs = between(0, windows) * windowMs + fromMs;
  const events: DecisionEvent[] = [];
  const requests = isEmpty ? 0 : isLarge ? between(300, 900) : between(1, 160);
  for (let index = 0; index < requests; index++) {
    const bunched = random.next() < 0.5;
    const arrivedAtMs = bunched
      ? Math.min(toMs - 1, busiestMs + between(0, Math.max(1, windowMs / 4)))
      : between(fromMs, toMs);
    const tenant = tenants[Math.floor(random.next() ** 2 * tenants.length)] ?? 'a';
    const waitMs = random.next() < 0.4 ? 0 : between(0, longestMs);
    const serviceMs = random.next() < 0.05 ? 0 : between(0, longestMs);
    const fate = random.next();
    const costs = {
      cost: random.next() < 0.4 ? between(0, 1000) / pick([1, 7]) : null,
      costEstimate: random.next() < 0.3 ? between(0, 50) : null,
      inputTokens: random.next() < 0.5 ? between(0, 900) : null,
      outputTokens: random.next() < 0.5 ? between(0, 300) : null,
      slots: uniformSlots ? null : between(1, 4),
    };
    const retryOf = random.next() < 0.15 ? events[between(0, events.length)] : undefined;
    const retry =
      retryOf === undefined
        ? {}
        : { originalRequestId: retryOf.originalRequestId ?? retryOf.requestId, attempt: between(1, 4) };
    const base = { requestId: `r${index}`, tenant: retryOf?.tenant ?? tenant, arrivedAtMs, ...costs, ...retry };
    if (fate < 0.6) {
      const dispatchedAtMs = arrivedAtMs + waitMs;
      events.push(event({ ...base, dispatchedAtMs, completedAtMs: dispatchedAtMs + serviceMs, status: 'ok' }));
    } else if (fate < 0.75) {
      const completedAtMs = random.next() < 0.3 ? arrivedAtMs + waitMs : null;
      events.push(event({ ...base, outcome: 'rejected', reason: pick(['quota', ...REASONS]), completedAtMs }));
    } else if (fate < 0.82) events.push(event({ ...base, completedAtMs: arrivedAtMs + waitMs, status: 'cancelled' }));
    else if (fate < 0.9) events.push(event(base));
    else if (fate < 0.96) events.push(event({ ...base, dispatchedAtMs: arrivedAtMs + waitMs }));
    else {
      const dispatchedAtMs = arrivedAtMs - between(0, 50);
      events.push(event({ ...base, dispatchedAtMs, completedAtMs: dispatchedAtMs + between(-20, 200) }));
    }
  }
  const options: LiteralOptions = {
    windowMs,
    fromMs,
    toMs,
    watermarkMs: toMs + between(0, windowMs),
    maxRequestAgeMs: pick([windowMs * 2, 3_600_000]),
    costUnit: pick(['requests', 'service_ms', 'tokens']),
    slots: basis === 'slots' ? between(1, 6) : null,
    capacityPerS: basis === 'configured' ? between(1, 500) : null,
    weights: new Map(tenants.filter(() => random.next() < 0.5).map((tenant) => [tenant, pick([0, 1, 2, 4, 0.5])])),
  };
  const someWeights = (names: readonly string[]) =>
    new Map(names.filter(() => random.next() < 0.6).map((name) => [name, pick([0, 1, 2, 4, 0.5])]));
  const policy = (atMs: number): LiteralPolicy => ({
    atMs,
    defaultWeight: pick([1, 2]),
    weights: someWeights(tenants),
    groupOf: new Map(tenants.filter(() => random.next() < 0.6).map((tenant) => [tenant, pick(GROUPS)])),
    groupWeights: new Map(GROUPS.map((group) => [group, pick([1, 1, 3, 0])])),
  });
  const moments = (most: number): number[] =>
    [...new Set(Array.from({ length: between(0, most) }, () => between(fromMs, toMs)))].sort((a, b) => a - b);
  const changes = random.next() < 0.4 ? moments(4) : [];
  const policies = random.next() < 0.4 ? [policy(0), ...moments(3).map(policy)] : [];
  return {
    events,
    options: {
      ...options,
      ...(options.slots === null ? {} : { slotChanges: changes.map((atMs) => ({ atMs, slots: between(0, 6) })) }),
      policies,
    },
  };
}
