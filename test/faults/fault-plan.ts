import { assertNever, type Random } from '../../scheduler-core/kernel/index.ts';

/** What is done to the pipeline, one after another, while events come. Durations are of the trouble, ms. */
export type Fault =
  /** `kill -9` of one process that ingests. */
  | { readonly kind: 'kill' }
  /** Of all of them at once. */
  | { readonly kind: 'kill_all' }
  /** Stopped past its session, so that others have its partitions, then let go on: it believes that it still owns them. */
  | { readonly kind: 'freeze'; readonly durationMs: number }
  /** One process more for so long, which then leaves in order. */
  | { readonly kind: 'join_and_leave'; readonly durationMs: number }
  /** The wall clock of one process by so much, for so long. */
  | { readonly kind: 'clock'; readonly shiftMs: number; readonly durationMs: number }
  | { readonly kind: 'broker_restart'; readonly signal: 'SIGTERM' | 'SIGKILL'; readonly durationMs: number }
  | { readonly kind: 'partitions_added' }
  /** The way to the store: nobody listens, nothing gets through, connections are cut, a proxy answers itself. */
  | { readonly kind: 'store_refuses' | 'store_hangs' | 'store_cuts' | 'store_page'; readonly durationMs: number }
  /** The store itself: overloaded, slow, executing and never saying so, without space, killed. */
  | { readonly kind: 'store_overload'; readonly code: number; readonly durationMs: number }
  | { readonly kind: 'store_slow'; readonly delayMs: number; readonly durationMs: number }
  | { readonly kind: 'store_mute' | 'store_full' | 'store_killed'; readonly durationMs: number };

export type FaultKind = Fault['kind'];

export interface Step {
  /** Until the fault begins, ms. */
  readonly afterMs: number;
  readonly fault: Fault;
}

export interface PlanOptions {
  /** `kill -9` of processes that ingest, at least. */
  readonly kills: number;
  /** How often each other fault comes about. */
  readonly rounds: number;
  readonly sessionMs: number;
  /** The longest outage of the store, once, ms. */
  readonly longOutageMs: number;
  /** Pauses and troubles last so much of what they would; 1 in the long run. */
  readonly brevity: number;
}

const OTHERS: readonly FaultKind[] = [
  'freeze',
  'join_and_leave',
  'clock',
  'broker_restart',
  'store_refuses',
  'store_hangs',
  'store_cuts',
  'store_page',
  'store_overload',
  'store_slow',
  'store_mute',
  'store_full',
  'store_killed',
];

/** Every fault `rounds` times and the kills between them, in an order and with durations that the seed decides. */
export function planFaults(random: Random, options: PlanOptions): Step[] {
  const kinds: FaultKind[] = Array.from({ length: options.rounds }, () => OTHERS).flat();
  for (let kills = 0; kills < options.kills; ) {
    const isAll = random.next() < 0.1;
    kinds.push(isAll ? 'kill_all' : 'kill');
    kills += isAll ? 2 : 1;
  }
  shuffle(kinds, random);
  kinds.splice(Math.floor(kinds.length / 2), 0, 'partitions_added');
  const steps = kinds.map((kind) => ({
    afterMs: options.brevity * (300 + random.next() * 2_700),
    fault: faultOf(kind, random, options),
  }));
  if (options.longOutageMs === 0) return steps;
  return [...steps, { afterMs: 0, fault: { kind: 'store_refuses', durationMs: options.longOutageMs } }];
}

function shuffle(kinds: FaultKind[], random: Random): void {
  for (let last = kinds.length - 1; last > 0; last--) {
    const other = Math.floor(random.next() * (last + 1));
    const [one, two] = [kinds[last], kinds[other]];
    if (one === undefined || two === undefined) return;
    kinds[last] = two;
    kinds[other] = one;
  }
}

/** Too many parts, no memory, too many statements. */
const OVERLOADS = [252, 241, 202];
const HOUR_MS = 3_600_000;

function faultOf(kind: FaultKind, random: Random, { sessionMs, brevity }: PlanOptions): Fault {
  const between = (leastMs: number, mostMs: number): number =>
    Math.round(brevity * (leastMs + random.next() * (mostMs - leastMs)));
  switch (kind) {
    case 'kill':
    case 'kill_all':
    case 'partitions_added':
      return { kind };
    case 'freeze':
      return { kind, durationMs: sessionMs + between(1_000, 3_000) };
    case 'join_and_leave':
      return { kind, durationMs: between(2_000, 5_000) };
    case 'clock':
      // Ahead by hours. Back by less than what an arrival may lie in the future; coming back from ahead is a far jump too.
      return { kind, shiftMs: random.next() < 0.5 ? 3 * HOUR_MS : -4 * 60_000, durationMs: between(2_000, 4_000) };
    case 'broker_restart':
      return { kind, signal: random.next() < 0.5 ? 'SIGKILL' : 'SIGTERM', durationMs: between(500, 3_000) };
    case 'store_overload':
      return {
        kind,
        code: OVERLOADS[Math.floor(random.next() * OVERLOADS.length)] ?? 252,
        durationMs: between(2_000, 5_000),
      };
    case 'store_slow':
      return { kind, delayMs: between(500, 2_000), durationMs: between(3_000, 6_000) };
    case 'store_refuses':
    case 'store_hangs':
    case 'store_cuts':
    case 'store_page':
    case 'store_mute':
    case 'store_full':
    case 'store_killed':
      return { kind, durationMs: between(1_500, 5_000) };
    default:
      return assertNever(kind);
  }
}
