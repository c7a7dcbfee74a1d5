import { assertInvariant, seededRandom } from '../../../scheduler-core/kernel/index.ts';
import type { Request } from '../../../scheduler-core/model.ts';
import { createScheduler } from '../../../scheduler-core/scheduler/index.ts';
import { type DisciplineKind, policyOf, tenantName, weightOf } from './backlog.ts';

export interface EnduranceInput {
  readonly discipline: DisciplineKind;
  readonly decisions: number;
  readonly tenants: number;
}

/** What holds after a tenth of the decisions more. */
export interface Checkpoint {
  readonly decisions: number;
  readonly perS: number;
  /** After a collection of garbage. */
  readonly heapBytes: number;
  /** Largest difference of cost served per weight between two tenants: bounded, but for fifo, which promises nothing. */
  readonly spreadCost: number;
  /** Σ cost offered, less what was served, is in service and, by the scheduler's own count, waits. 0: nothing drifted. */
  readonly missingCost: number;
}

export interface EnduranceFigures {
  readonly checkpoints: readonly Checkpoint[];
}

const CHECKPOINTS = 10;
const SLOTS = 8;
/** More than a visit of deficit round robin and the slots take of one tenant: all stay backlogged. */
const DEPTH = 48;

/**
 * Very many decisions, with costs that turn out otherwise than estimated, and the sums that must come out: all whole
 * numbers far below 2⁵³, so that they are exact.
 */
export async function measureEndurance({ discipline, decisions, tenants }: EnduranceInput): Promise<EnduranceFigures> {
  const scheduler = createScheduler(policyOf({ discipline, tenants }), { nowMs: 0, slots: SLOTS });
  const random = seededRandom(1);
  const servedCosts = new Float64Array(tenants);
  const estimates = new Map<string, number>();
  let offeredCost = 0;
  let endedCost = 0;
  let inServiceCost = 0;
  let nowMs = 0;
  const indexes = new Map(Array.from({ length: tenants }, (_, index) => [tenantName(index), index]));
  const offer = (request: Request): void => {
    offeredCost += request.costEstimate ?? 0;
    assertInvariant(scheduler.offer(request, nowMs).refused === null, 'nothing is refused');
  };
  for (let round = 0; round < DEPTH; round++) {
    for (let index = 0; index < tenants; index++) {
      const costEstimate = 3 + Math.floor(random.next() * 6);
      estimates.set(`request-${round}-${index}`, costEstimate);
      offer({ id: `request-${round}-${index}`, tenant: tenantName(index), costEstimate });
    }
  }
  const inService: Request[] = [];
  const decide = (): void => {
    nowMs += 0.01;
    const dispatch = scheduler.take(nowMs);
    assertInvariant(dispatch !== null, 'somebody always waits');
    const { request } = dispatch;
    inServiceCost += request.costEstimate ?? 0;
    inService.push(request);
    if (inService.length < SLOTS) return;
    const ended = inService.shift();
    assertInvariant(ended !== undefined, 'somebody is always served');
    const estimate = ended.costEstimate ?? 0;
    // Off by up to 2 either way, by nothing on average.
    const actual = estimate + Math.floor(random.next() * 5) - 2;
    assertInvariant(scheduler.complete(ended.id, actual, 'ok', nowMs), 'each request is settled once');
    inServiceCost -= estimate;
    endedCost += estimate;
    const index = indexes.get(ended.tenant) ?? 0;
    servedCosts[index] = (servedCosts[index] ?? 0) + actual;
    offer(ended);
  };
  const checkpoints: Checkpoint[] = [];
  const each = Math.ceil(decisions / CHECKPOINTS);
  for (let checkpoint = 1; checkpoint <= CHECKPOINTS; checkpoint++) {
    const startMs = performance.now();
    for (let decision = 0; decision < each; decision++) decide();
    const perS = (each / (performance.now() - startMs)) * 1000;
    const { waiting, tenants: snapshots } = scheduler.snapshot(nowMs);
    assertInvariant(waiting + inService.length === DEPTH * tenants, 'every request waits or is served');
    const waitingCost = snapshots.reduce((sum, one) => sum + one.waitingCost, 0);
    const normalized = servedCosts.map((cost, index) => cost / weightOf(index));
    globalThis.gc?.();
    checkpoints.push({
      decisions: checkpoint * each,
      perS,
      heapBytes: process.memoryUsage().heapUsed,
      spreadCost: Math.max(...normalized) - Math.min(...normalized),
      missingCost: offeredCost - endedCost - inServiceCost - waitingCost,
    });
  }
  return { checkpoints };
}
