import { seededRandom } from '../../../../scheduler-core/index.ts';
import type { Terms } from './draw-terms.ts';
import { plantComesLast, plantTwoFloods, plantWeightsIgnored, plantWrongOrder } from './plant-disorder.ts';
import { plantNothing, plantQuota } from './plant-fair.ts';
import {
  LEAST_MS,
  overlapMs,
  plantFlood,
  plantIdleScheduler,
  plantLostCapacity,
  plantRefusedFlood,
  plantSkippedTenant,
  plantStrictPriority,
  plantUntilWronged,
} from './plant-faults.ts';
import { endedEvent, openEvent } from './recorded-events.ts';
import type { Recorded } from './run-gateway.ts';
import { MINUTE_MS, type PlantedKind, type Situation } from './situation.ts';

/** In this order over the seeds. */
const KINDS: readonly PlantedKind[] = [
  'nothing',
  'flood',
  'nothing',
  'lost_capacity',
  'skipped_tenant',
  'nothing',
  'strict_priority',
  'nothing',
  'idle_scheduler',
  'quota',
  'flood_refused',
  'two_floods',
  'wrong_order',
  'nothing',
  'weights_ignored',
  'comes_last',
];

const FAULTS = {
  flood: plantFlood,
  flood_refused: plantRefusedFlood,
  lost_capacity: plantLostCapacity,
  skipped_tenant: plantSkippedTenant,
  strict_priority: plantStrictPriority,
  idle_scheduler: plantIdleScheduler,
  two_floods: plantTwoFloods,
  wrong_order: plantWrongOrder,
  weights_ignored: plantWeightsIgnored,
  comes_last: plantComesLast,
} as const;

/** The situation of a seed: the same for ever. */
export function drawSituation(seed: number, kind: PlantedKind = KINDS[seed % KINDS.length] ?? 'nothing'): Situation {
  const random = seededRandom(seed);
  if (kind === 'nothing' || kind === 'quota') {
    const fair = (kind === 'nothing' ? plantNothing : plantQuota)(random.fork(kind), seed);
    const expected = {
      unfair: [],
      named: [],
      causes: [],
      victims: null,
      aftermathFrom: Number.POSITIVE_INFINITY,
      capped: fair.capped,
    };
    return writeDown({ seed, kind, ...fair, expected });
  }
  const planted = plantUntilWronged((attempt) => FAULTS[kind](random.fork(`${kind} ${attempt}`), seed));
  const { span, causes, victims, wronged } = planted;
  const named = wronged.filter((window) => overlapMs(span, window) >= LEAST_MS);
  const aftermathFrom = Math.floor(span.toMs / MINUTE_MS);
  const expected = { unfair: wronged, named, causes, victims, aftermathFrom, capped: null };
  return writeDown({ seed, kind, ...planted, expected });
}

function writeDown(drawn: {
  readonly seed: number;
  readonly kind: PlantedKind;
  readonly terms: Terms;
  readonly recorded: Recorded;
  readonly slotChanges?: Situation['slotChanges'];
  readonly summary: string;
  readonly expected: Situation['expected'];
}): Situation {
  const { terms, recorded, seed, kind } = drawn;
  const { slots, weights, costUnit, windows, discipline, queueLimit, shape, meanServiceMs, tenants } = terms;
  const estimates = costUnit === 'service_ms';
  return {
    seed,
    kind,
    slots,
    slotChanges: drawn.slotChanges ?? [],
    weights,
    costUnit,
    windows,
    expected: drawn.expected,
    summary: `seed ${seed}, ${kind}: ${drawn.summary}; ${slots} slots, ${tenants.length} tenants, ${discipline}, limit ${queueLimit ?? 'none'}, ${shape} ${Math.round(meanServiceMs)} ms, ${costUnit}`,
    events: [
      ...recorded.ended.map((each) => endedEvent(each, estimates)),
      ...recorded.open.map((each) => openEvent(each, estimates)),
    ],
    watermarkMs: recorded.untilMs,
  };
}
