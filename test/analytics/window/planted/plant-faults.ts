import type { Random } from '../../../../scheduler-core/index.ts';
import { between, drawTerms, guaranteedRatio, magnitude, type Terms } from './draw-terms.ts';
import { wrongedWindows } from './planted-truth.ts';
import { arrivalsEndMs, type PlannedLoad, planRequests, type Recorded, runBroken, runCore } from './run-gateway.ts';
import { FROM_MS, MINUTE_MS, type PlantedCause } from './situation.ts';

/** A situation before it is written down. */
export interface Planted {
  readonly terms: Terms;
  readonly recorded: Recorded;
  readonly summary: string;
  /** When the cause was at work, ms from the start. */
  readonly span: { readonly fromMs: number; readonly toMs: number };
  readonly causes: readonly PlantedCause[];
  readonly victims: ReadonlySet<string>;
  readonly wronged: readonly number[];
}

const TRIES = 400;

/** Draws until somebody is wronged beyond doubt. */
export function plantUntilWronged(draw: (seed: number) => Planted): Planted {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const planted = draw(attempt);
    if (planted.wronged.some((window) => overlapMs(planted.span, window) >= LEAST_MS)) return planted;
  }
  throw new Error('no draw in a row that wrongs somebody');
}

/** A cause that was at work for less of a window need not be its first. */
export const LEAST_MS = 20_000;

export function overlapMs(span: { readonly fromMs: number; readonly toMs: number }, window: number): number {
  return Math.min(span.toMs, (window + 1) * MINUTE_MS) - Math.max(span.fromMs, window * MINUTE_MS);
}

/** A minute or so, or all the time once the pool has been seen at work. */
export function drawSpan(random: Random, terms: Terms): Planted['span'] {
  if (random.next() < 0.25) return { fromMs: 10_000, toMs: terms.windows * MINUTE_MS };
  const fromMs = Math.round(between(random, 5_000, 70_000));
  return { fromMs, toMs: fromMs + Math.round(between(random, 40_000, 100_000)) };
}

/** Whoever floods, is preferred or takes another's place does so only while requests come: what is left is aftermath. */
export function whileRequestsCome(terms: Terms, span: Planted['span']): Planted['span'] {
  return { fromMs: span.fromMs, toMs: Math.min(span.toMs, arrivalsEndMs(terms)) };
}

/** Tenants that ask for some part of what is theirs, whatever others do. */
export function modest(
  random: Random,
  terms: Terms,
  tenants: readonly string[],
  [low, high]: [number, number],
): PlannedLoad[] {
  return tenants.map((tenant) => ({ tenant, ratio: guaranteedRatio(terms, tenant) * between(random, low, high) }));
}

interface Run {
  readonly terms: Terms;
  readonly recorded: Recorded;
  readonly victims: ReadonlySet<string>;
}

export function wronged({ terms, recorded, victims }: Run): number[] {
  return wrongedWindows(terms, recorded, victims);
}

/** One tenant sends far more than its share into one queue for all. */
export function plantFlood(random: Random, seed: number): Planted {
  return flood(random, seed, null);
}

/** The same where the queue for all is short: who comes then is refused, modest as it may be. */
export function plantRefusedFlood(random: Random, seed: number): Planted {
  return flood(random, seed, Math.round(magnitude(random, 10, 300)));
}

function flood(random: Random, seed: number, limit: number | null): Planted {
  const terms = drawTerms(random, 1.8);
  const span = drawSpan(random, terms);
  const ratio = between(random, 1, 2.5);
  const others = terms.tenants.slice(1);
  const loads: PlannedLoad[] = [
    { tenant: 'first', ratio: guaranteedRatio(terms, 'first') / 2, spans: [{ ...span, ratio }] },
    ...modest(random, terms, others, [0.2, 0.7]),
  ];
  const recorded = runCore(terms, planRequests(terms, loads, seed), {
    discipline: 'fifo',
    ...(limit === null ? {} : { queue: { total_limit: limit } }),
  });
  const victims = new Set(others);
  return {
    terms,
    recorded,
    span: whileRequestsCome(terms, span),
    victims,
    summary: `first floods at ${ratio.toFixed(2)} under fifo, limit ${limit ?? 'none'}`,
    causes: [{ cause: 'over_served', tenant: 'first' }],
    wronged: wronged({ terms, recorded, victims }),
  };
}

export function fairPolicy(terms: Terms): Record<string, unknown> {
  const discipline =
    terms.discipline === 'drr' && terms.costUnit === 'service_ms'
      ? { kind: 'drr', quantum: terms.meanServiceMs }
      : terms.discipline;
  return {
    discipline,
    weights: terms.weights,
    ...(terms.queueLimit === null ? {} : { queue: { per_tenant_limit: terms.queueLimit } }),
  };
}

/** Slots that are declared and serve nobody for a while, under a fair scheduler without limits. */
export function plantLostCapacity(random: Random, seed: number): Planted {
  const terms = { ...drawTerms(random, 0.7), queueLimit: null };
  const span = drawSpan(random, terms);
  const left = Math.floor(terms.slots * between(random, 0, 0.5));
  const loads = modest(random, terms, terms.tenants, [0.5, 0.8]);
  const recorded = runCore(terms, planRequests(terms, loads, seed), fairPolicy(terms), [
    { atMs: FROM_MS + span.fromMs, slots: left },
    { atMs: FROM_MS + span.toMs, slots: terms.slots },
  ]);
  const victims = new Set(terms.tenants);
  return {
    terms,
    recorded,
    span,
    victims,
    summary: `${left} of ${terms.slots} slots are left`,
    causes: [{ cause: 'lost_capacity', tenant: null }],
    // What a pool can do that was never seen at work nobody can know.
    wronged: seenBefore(recorded, span.fromMs) ? wronged({ terms, recorded, victims }) : [],
  };
}

function seenBefore(recorded: Recorded, fromMs: number): boolean {
  return recorded.ended.some((each) => each.outcome === 'served' && each.endedAtMs < FROM_MS + fromMs);
}

/** A scheduler that never chooses one tenant, beside a greedy one or beside modest ones only. */
export function plantSkippedTenant(random: Random, seed: number): Planted {
  const greedy = random.next() < 0.5;
  const terms = drawTerms(random, greedy ? 1.8 : 0.6);
  const span = drawSpan(random, terms);
  const victim = terms.tenants.at(-1) ?? '';
  const ratio = between(random, 1.1, 2);
  const loads: PlannedLoad[] = [
    ...(greedy ? [{ tenant: 'first', ratio }] : modest(random, terms, ['first'], [0.2, 0.7])),
    ...modest(random, terms, terms.tenants.slice(1, -1), [0.2, 0.7]),
    { tenant: victim, ratio: guaranteedRatio(terms, victim) * between(random, 0.5, 0.8) },
  ];
  const skips = { tenant: victim, fromMs: FROM_MS + span.fromMs, toMs: FROM_MS + span.toMs };
  const recorded = runBroken(terms, planRequests(terms, loads, seed), { skips });
  const victims = new Set([victim]);
  return {
    terms,
    recorded,
    span: whileRequestsCome(terms, span),
    victims,
    summary: `${victim} is skipped${greedy ? `, first asks for ${ratio.toFixed(2)}` : ''}`,
    causes: greedy ? [{ cause: 'over_served', tenant: 'first' }] : [{ cause: 'idle_slots', tenant: null }],
    wronged: wronged({ terms, recorded, victims }),
  };
}

/** Strict priority where the weights say something else. */
export function plantStrictPriority(random: Random, seed: number): Planted {
  const drawn = drawTerms(random, 1.8);
  const terms = { ...drawn, weights: Object.fromEntries(drawn.tenants.map((tenant) => [tenant, 1])) };
  const span = drawSpan(random, terms);
  const ratio = between(random, 0.9, 1.6);
  const others = terms.tenants.slice(1);
  const loads: PlannedLoad[] = [
    { tenant: 'first', ratio: guaranteedRatio(terms, 'first') / 2, spans: [{ ...span, ratio }] },
    ...modest(random, terms, others, [0.2, 0.7]),
  ];
  const recorded = runCore(terms, planRequests(terms, loads, seed), {
    discipline: { kind: 'priority', mode: 'strict', order: ['high', 'low'] },
    default_tenant: { class: 'low' },
    tenants: [{ name: 'first', class: 'high' }],
  });
  const victims = new Set(others);
  return {
    terms,
    recorded,
    span: whileRequestsCome(terms, span),
    victims,
    summary: `first goes before all others and asks for ${ratio.toFixed(2)}`,
    causes: [{ cause: 'over_served', tenant: 'first' }],
    wronged: wronged({ terms, recorded, victims }),
  };
}

/** A scheduler that lets slots rest while requests wait. */
export function plantIdleScheduler(random: Random, seed: number): Planted {
  const terms = drawTerms(random, 0.7);
  const span = drawSpan(random, terms);
  const ratio = between(random, 1, 3);
  const loads = modest(random, terms, terms.tenants, [0.6, 0.8]);
  const rests = { ratio, fromMs: FROM_MS + span.fromMs, toMs: FROM_MS + span.toMs };
  const recorded = runBroken(terms, planRequests(terms, loads, seed), { rests });
  const victims = new Set(terms.tenants);
  return {
    terms,
    recorded,
    span,
    victims,
    summary: `slots rest for ${ratio.toFixed(2)} services`,
    causes: [{ cause: 'idle_slots', tenant: null }],
    wronged: wronged({ terms, recorded, victims }),
  };
}
