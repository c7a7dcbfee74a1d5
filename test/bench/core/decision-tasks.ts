import { createScheduler } from '../../../scheduler-core/scheduler/index.ts';
import {
  Backlog,
  type BacklogPolicy,
  type Decider,
  type DisciplineKind,
  policyOf,
  tenantName,
  weightOf,
} from './backlog.ts';
import { NaiveWeightedFair } from './naive-weighted-fair.ts';

const SLOTS = 1;
/** Of each tenant in all: whoever is served still has others waiting. */
const DEPTH = 4;

export interface DecisionsInput {
  readonly discipline: DisciplineKind | 'naive wfq';
  readonly tenants: number;
  readonly decisions: number;
  readonly runs: number;
}

/** Decisions per second, a figure a run. */
export interface Rates {
  readonly perS: readonly number[];
}

export async function measureDecisions({ discipline, tenants, decisions, runs }: DecisionsInput): Promise<Rates> {
  const decider: Decider =
    discipline === 'naive wfq'
      ? new NaiveWeightedFair(
          new Map(Array.from({ length: tenants }, (_, index) => [tenantName(index), weightOf(index)])),
        )
      : createScheduler(policyOf({ discipline, tenants }), { nowMs: 0, slots: SLOTS });
  return {
    perS: measureRuns(new Backlog(decider, { tenants, depth: DEPTH, slots: SLOTS }), decisions, runs),
  };
}

/** The first run warms up and is not counted. */
function measureRuns(backlog: Backlog, decisions: number, runs: number): number[] {
  backlog.run(decisions);
  return Array.from({ length: runs }, () => rateOf(backlog, decisions));
}

function rateOf(backlog: Backlog, decisions: number): number {
  const startMs = performance.now();
  backlog.run(decisions);
  return (decisions / (performance.now() - startMs)) * 1000;
}

export interface ComparisonInput {
  readonly discipline: DisciplineKind;
  readonly decisions: number;
  readonly runs: number;
}

/** Rates of two backlogs, measured in turns. */
export interface Comparison {
  readonly base: readonly number[];
  readonly other: readonly number[];
  /** Part of the other's decisions that went ahead of their turn. */
  readonly promotedRatio: number;
}

function compare(base: Backlog, other: Backlog, { decisions, runs }: ComparisonInput): Comparison {
  for (const each of [base, other]) each.run(decisions);
  const rates = { base: [] as number[], other: [] as number[] };
  for (let run = 0; run < runs; run++) {
    rates.base.push(rateOf(base, decisions));
    rates.other.push(rateOf(other, decisions));
  }
  return { ...rates, promotedRatio: other.promotions / (decisions * (runs + 1)) };
}

const ACTIVE = 100;
const IDLE = 10_000;

/** 100 active tenants, against the same beside 10,000 that were there once and have nothing waiting. */
export async function measureIdle(input: ComparisonInput): Promise<Comparison> {
  const make = (idle: number): Backlog => {
    const policy = policyOf({ discipline: input.discipline, tenants: ACTIVE + idle });
    const scheduler = createScheduler(policy, { nowMs: 0, slots: SLOTS });
    for (let index = ACTIVE; index < ACTIVE + idle; index++) {
      const id = `idle-${index}`;
      scheduler.offer({ id, tenant: tenantName(index), costEstimate: 1 }, 0);
      scheduler.take(0);
      scheduler.complete(id, 1, 'ok', 0);
    }
    return new Backlog(scheduler, { tenants: ACTIVE, depth: DEPTH, slots: SLOTS });
  };
  return compare(make(0), make(IDLE), input);
}

const GUARDED_TENANTS = 1_000;
const WAITING_EACH = 100;
const GUARDED_SLOTS = 8;

export interface GuardInput extends ComparisonInput {
  readonly inFlightRatio: number;
  /** Of what requests wait without the guard: most of them are overdue while it is less than 1. */
  readonly maxWaitMs: number;
}

/** 100,000 waiting requests, without the starvation guard and with it. */
export async function measureGuard(input: GuardInput): Promise<Comparison> {
  const make = (also: BacklogPolicy['also'] = {}): Backlog => {
    const policy = policyOf({ discipline: input.discipline, tenants: GUARDED_TENANTS, also });
    const scheduler = createScheduler(policy, { nowMs: 0, slots: GUARDED_SLOTS });
    return new Backlog(scheduler, { tenants: GUARDED_TENANTS, depth: WAITING_EACH, slots: GUARDED_SLOTS });
  };
  const guard = { max_wait_ms: input.maxWaitMs, in_flight_ratio: input.inFlightRatio };
  return compare(make(), make({ starvation_guard: guard }), input);
}
