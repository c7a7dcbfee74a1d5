import { setImmediate as nextTurn } from 'node:timers/promises';
import { SECOND_MS, seededRandom } from '../../scheduler-core/kernel/index.ts';
import type { Clock } from '../clock.ts';
import { type DemoLog, EventPoster, type PostCounts } from './event-poster.ts';
import { SimulatedGateway } from './simulated-gateway.ts';

const CHUNK_LINES = 5000;
/** Simulated time per step: at most some 1,200 requests and a few ms of work, after which the process gets its turn. */
const STEP_MS = 5 * SECOND_MS;
const TICK_MS = 250;

export interface DemoGatewayOptions {
  /** Of the intake, without the path: `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** Bearer token with the scope `ingest`; null sends none. */
  readonly token: string | null;
  readonly policy: 'fifo' | 'drr';
  readonly seed: number;
  readonly clock: Clock;
  /**
   * Epoch ms. The gateway opens at `historyFromMs` with an empty queue; what happened until `historyToMs` is posted as
   * fast as it is taken, the rest as time goes by. After a restart, start where the stored events end.
   */
  readonly historyFromMs: number;
  readonly historyToMs: number;
  readonly log: DemoLog;
  readonly signal: AbortSignal;
}

export interface DemoGateway {
  /** Resolves when all history is posted or given up, or the demo was stopped. Never rejects. */
  readonly historyPosted: Promise<void>;
  /** Resolves when nothing is in flight any more after the signal, within a second. Never rejects. */
  readonly stopped: Promise<void>;
  counts(): PostCounts;
  /** Epoch ms up to which traffic is simulated: the progress of the history. */
  simulatedToMs(): number;
}

/**
 * Starts the simulated gateway of `evenshare up --demo`: posts its history, then goes on in real time, a tick each
 * 250 ms, until the signal aborts. What cannot be posted is retried, then dropped, logged and counted.
 */
export function startDemoGateway(options: DemoGatewayOptions): DemoGateway {
  const { policy, seed, historyFromMs } = options;
  const gateway = new SimulatedGateway({ policy, seed, openedAtMs: Math.floor(historyFromMs) });
  const poster = new EventPoster({ ...options, random: seededRandom(seed).fork('retries') });

  const historyPosted = postHistory(options, gateway, poster);
  const stopped = historyPosted.then(() => goLive(options, gateway, poster));
  return {
    historyPosted,
    stopped,
    counts: () => poster.counts(),
    simulatedToMs: () => gateway.simulatedToMs,
  };
}

async function postHistory(
  { historyToMs, signal, log, clock }: DemoGatewayOptions,
  gateway: SimulatedGateway,
  poster: EventPoster,
): Promise<void> {
  const startedAtMs = clock.nowMs();
  try {
    // Alone, since two requests in flight may overtake each other: nothing is stored before the pool is known.
    await poster.post([gateway.openingLine()]);
    await poster.settled();
    await postUntil(historyToMs, { gateway, poster, signal });
    await poster.settled();
  } catch (error) {
    log.warn(`demo: the history ended early: ${describe(error)}`);
  }
  const { posted, dropped } = poster.counts();
  const elapsedS = ((clock.nowMs() - startedAtMs) / SECOND_MS).toFixed(1);
  log.info(`demo: ${posted} events of history posted in ${elapsedS} s, ${dropped} dropped`);
}

async function goLive(
  { clock, signal, log }: DemoGatewayOptions,
  gateway: SimulatedGateway,
  poster: EventPoster,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await postUntil(clock.nowMs(), { gateway, poster, signal });
      if (!signal.aborted) await postAll(gateway.announceWaiting(), poster);
    } catch (error) {
      log.warn(`demo: a tick failed: ${describe(error)}`);
    }
    await clock.sleep(TICK_MS, signal);
  }
  await postAll(gateway.close(), poster);
  await poster.settled();
}

/**
 * Simulates up to `toMs` and posts what ends, in chunks. While two chunks are in flight the simulation stands still: what
 * a slow intake has not taken is not held in memory.
 */
async function postUntil(
  toMs: number,
  { gateway, poster, signal }: { gateway: SimulatedGateway; poster: EventPoster; signal: AbortSignal },
): Promise<void> {
  const lines: string[] = [];
  while (gateway.simulatedToMs < toMs && !signal.aborted) {
    await nextTurn();
    lines.push(...gateway.advanceTo(Math.min(toMs, gateway.simulatedToMs + STEP_MS)));
    while (lines.length >= CHUNK_LINES) await poster.post(lines.splice(0, CHUNK_LINES));
  }
  await postAll(lines, poster);
}

async function postAll(lines: readonly string[], poster: EventPoster): Promise<void> {
  if (lines.length > 0) await poster.post(lines);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
