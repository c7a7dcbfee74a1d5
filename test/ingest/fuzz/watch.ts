import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import type { AdapterOutcome } from '../../../ingest/adapters/index.ts';
import { type DecisionEvent, RECORD_REJECT_CODES } from '../../../ingest/event/decision-event.ts';

/**
 * How many inputs each set of parsers gets: 20,000, or what `EVENSHARE_FUZZ_INPUTS` says. `npm run test:fuzz` says a
 * million.
 */
export const INPUTS = Number(process.env.EVENSHARE_FUZZ_INPUTS ?? 20_000);

/** Of processor time: what takes longer than linear time in a line shows far above it. */
const MOST_CPU_MS_PER_INPUT = 2_000;
/** What may be kept after any number of inputs. */
const MOST_KEPT_BYTES = 64 * 2 ** 20;
const MOST_OUTCOMES = 10_000;
/** What a line may become in dead letters, in characters. */
const MOST_RAW = 12 * 2 ** 20;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

/** Counts what inputs became, and sees to the bounds of time and memory. */
export class Watch {
  readonly kinds = new Map<string, number>();
  readonly #before: number;

  constructor() {
    collectGarbage();
    this.#before = process.memoryUsage().heapUsed;
  }

  count(kind: string): void {
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }

  /** Runs one input; whatever it throws is told with the input. */
  run<T>(told: () => string, work: () => T): T {
    const before = process.cpuUsage();
    try {
      return work();
    } catch (cause) {
      throw new Error(`thrown by ${told()}: ${String(cause)}`, { cause });
    } finally {
      this.checkTime(before, told);
    }
  }

  /** The bound of time for one input, since `before`. */
  checkTime(before: NodeJS.CpuUsage, told: () => string): void {
    const { user, system } = process.cpuUsage(before);
    const tookMs = (user + system) / 1000;
    if (tookMs > MOST_CPU_MS_PER_INPUT) expect.fail(`${tookMs} ms for ${told().slice(0, 2_000)}`);
  }

  /** A reason or an event, and nothing that is out of bounds. */
  checkOutcome(outcome: AdapterOutcome, told: () => string): void {
    if (outcome.kind === 'several') {
      expect(outcome.outcomes.length, told()).toBeLessThanOrEqual(MOST_OUTCOMES);
      const raw = outcome.outcomes.reduce(
        (sum, one) => sum + (one.kind === 'rejected' ? (one.raw?.length ?? 0) : 0),
        0,
      );
      expect(raw, told()).toBeLessThan(MOST_RAW);
      for (const one of outcome.outcomes) this.checkOutcome(one, told);
      return;
    }
    this.count(outcome.kind === 'rejected' ? outcome.code : outcome.kind);
    if (outcome.kind === 'decision') checkEvent(outcome.event, told);
    if (outcome.kind !== 'rejected') return;
    if (!RECORD_REJECT_CODES.includes(outcome.code) || !/^\S.{10,600}$/u.test(outcome.detail)) {
      expect.fail(`${outcome.code}: ${outcome.detail}, for ${told()}`);
    }
  }

  /** Nothing is kept of what was read; each kind named came often enough to say that it was reached. */
  end(reached: readonly string[]): void {
    collectGarbage();
    expect(process.memoryUsage().heapUsed - this.#before).toBeLessThan(MOST_KEPT_BYTES);
    const all = JSON.stringify([...this.kinds]);
    for (const kind of reached) expect(this.kinds.get(kind) ?? 0, `${kind} in ${all}`).toBeGreaterThan(3);
  }
}

const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;

function checkEvent(event: DecisionEvent, told: () => string): void {
  const fault = faultOf(event);
  if (fault !== null) expect.fail(`${fault} of ${JSON.stringify(event)}, for ${told()}`);
}

/** What the specification forbids in an event; null: nothing. */
function faultOf(event: DecisionEvent): string | null {
  for (const [name, value] of Object.entries(event)) {
    if (typeof value === 'number' && !(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) return name;
    if (typeof value === 'string' && name !== 'labels' && (FORBIDDEN.test(value) || [...value].length > 128))
      return name;
    if (value === undefined) return name;
  }
  for (const timeMs of [event.arrivedAtMs, event.dispatchedAtMs, event.completedAtMs]) {
    if (timeMs !== null && !(Number.isInteger(timeMs) && timeMs >= 94_694_400_000 && timeMs < 4_133_980_800_000))
      return 'time';
  }
  if (event.requestId === '' || event.pool === '' || event.tenant === '') return 'identity';
  if (event.outcome === 'rejected' && event.reason === null) return 'reason';
  if (event.outcome !== 'rejected' && event.reason !== null) return null;
  if (!Number.isInteger(event.attempt) || event.attempt < 1 || event.attempt > 65_535) return 'attempt';
  if (event.labels !== null && Buffer.byteLength(event.labels) > 4_096) return 'labels';
  for (const tokens of [event.inputTokens, event.outputTokens]) {
    if (tokens !== null && !Number.isInteger(tokens)) return 'tokens';
  }
  return null;
}
