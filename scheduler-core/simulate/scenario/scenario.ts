import type { Policy } from '../../policy/policy.ts';
import type { Span } from '../rate-profile.ts';
import type { ShareUnit } from '../request-fate.ts';
import { simulate } from '../simulate.ts';
import type { SimulatedRequest } from '../simulated-request.ts';
import type { SimulationResult } from '../simulation-result.ts';
import type { SlotChange } from '../slot-schedule.ts';
import { drawRequests, type TenantLoad } from '../workload.ts';

/** A published figure: a number, or the band in which it lies. */
export type PublishedFigure = number | { readonly low: number; readonly high: number };

/** A workload, a pool and the policies to compare: what a scenario file says (docs/scenarios.md). */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly seed: number;
  readonly slots: number;
  readonly slotChanges: readonly SlotChange[];
  readonly workers: { readonly count: number; readonly stealing: boolean };
  readonly lightFactor: number;
  /** Arrivals lie in `[0, durationMs)`; the utilization is that of this span. */
  readonly durationMs: number;
  readonly measured: Span;
  readonly costUnit: ShareUnit;
  readonly loads: readonly TenantLoad[];
  /** Entitlements that the scenario states; other tenants have those of each policy. */
  readonly weights: ReadonlyMap<string, number>;
  readonly policies: readonly Policy[];
  /** How often to look at controllers, ms; null: never. */
  readonly sampleEveryMs: number | null;
  /** By policy and figure. */
  readonly published: ReadonlyMap<string, ReadonlyMap<string, PublishedFigure>>;
}

export interface ScenarioChoice {
  /** Default: that of the scenario. */
  readonly seed?: number;
  readonly slots?: number;
  readonly policies?: readonly Policy[];
}

/** The requests of a scenario, drawn as they are asked for. */
export function scenarioRequests(scenario: Scenario, seed: number): Iterable<SimulatedRequest> {
  return drawRequests({ loads: scenario.loads, seed, fromMs: 0, toMs: scenario.durationMs, idPrefix: '' });
}

/** Simulates a scenario; throws as `simulate` does. */
export function simulateScenario(scenario: Scenario, choice: ScenarioChoice = {}): SimulationResult {
  const seed = choice.seed ?? scenario.seed;
  return simulate(choice.policies ?? scenario.policies, scenarioRequests(scenario, seed), {
    scenario: scenario.name,
    seed,
    slots: choice.slots ?? scenario.slots,
    slotChanges: scenario.slotChanges,
    workers: scenario.workers,
    lightFactor: scenario.lightFactor,
    run: { fromMs: 0, toMs: scenario.durationMs },
    measured: scenario.measured,
    startMs: 0,
    costUnit: scenario.costUnit,
    weights: scenario.weights,
    ...(scenario.sampleEveryMs === null ? {} : { sampleEveryMs: scenario.sampleEveryMs }),
  });
}
