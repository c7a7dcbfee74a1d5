import { EventLoop, NOISY_NEIGHBOUR_SLOTS, noisyNeighbour, noisyNeighbourPolicy } from '../../scheduler-core/index.ts';
import { MINUTE_MS, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import { cancelledLine, endedLine, poolLine, waitingLine } from './decision-lines.ts';

/** A tenth of the scenario's traffic, each request ten times as long: the same load, in numbers a laptop stores. */
const RATE_SCALE = 0.1;
const SERVICE_SCALE = 10;
const BURSTS = { everyMs: 15 * MINUTE_MS, lengthMs: 5 * MINUTE_MS };
/** A request that has waited this long is reported before it ends, so that what waits can be seen. */
const ANNOUNCED_AFTER_MS = 2 * SECOND_MS;

/**
 * The latest time up to `atMs` at which no burst is under way: a gateway that opens in the middle of one has a minute that
 * is over demand only after its start, which looks as if somebody had been starved.
 */
export function lastQuietMs(atMs: number): number {
  const sinceBurstMs = atMs % BURSTS.everyMs;
  return sinceBurstMs < BURSTS.lengthMs ? atMs - sinceBurstMs - MINUTE_MS : atMs;
}

export interface SimulatedGatewayOptions {
  readonly policy: 'fifo' | 'drr';
  readonly seed: number;
  /** Epoch ms at which it opens, with an empty queue. */
  readonly openedAtMs: number;
}

/**
 * A gateway with a noisy neighbour that reports its decisions as lines of NDJSON: the traffic of the scenario, flooded in
 * the first five of every fifteen minutes (UTC). It moves only when told how far, so history and live traffic are one
 * sequence; the same options give the same lines. Ids name the options: gateways opened at other times, with other seeds
 * or policies never use each other's.
 */
export class SimulatedGateway {
  readonly #loop: EventLoop;
  readonly #announcedIds = new Set<string>();
  readonly #openedAtMs: number;
  #simulatedToMs: number;

  constructor({ policy, seed, openedAtMs }: SimulatedGatewayOptions) {
    this.#openedAtMs = openedAtMs;
    this.#simulatedToMs = openedAtMs;
    this.#loop = new EventLoop({
      arrivals: noisyNeighbour({
        seed,
        rateScale: RATE_SCALE,
        serviceScale: SERVICE_SCALE,
        durationMs: Number.POSITIVE_INFINITY,
        bursts: BURSTS,
        originMs: openedAtMs,
        idPrefix: `${policy}-${seed}-${openedAtMs.toString(36)}-`,
      }),
      policy: noisyNeighbourPolicy(policy, SERVICE_SCALE),
      nowMs: openedAtMs,
      slots: NOISY_NEIGHBOUR_SLOTS,
    });
  }

  /** Epoch ms up to which it has reported. */
  get simulatedToMs(): number {
    return this.#simulatedToMs;
  }

  /** What its pool has, to be reported before anything else. */
  openingLine(): string {
    return poolLine(this.#openedAtMs, NOISY_NEIGHBOUR_SLOTS);
  }

  /** The requests that ended since the last step and up to `nowMs`. A time in the past changes nothing. */
  advanceTo(nowMs: number): string[] {
    if (nowMs <= this.#simulatedToMs) return [];
    this.#simulatedToMs = nowMs;
    return this.#loop.advanceTo(nowMs).map((ended) => {
      this.#announcedIds.delete(ended.request.id);
      return endedLine(ended);
    });
  }

  /** The requests that have waited for two seconds and more and were not reported yet. */
  announceWaiting(): string[] {
    const lines: string[] = [];
    for (const { request, dispatchedAtMs } of this.#loop.openRequests()) {
      if (request.arrivedAtMs > this.#simulatedToMs - ANNOUNCED_AFTER_MS) break;
      if (dispatchedAtMs !== null || this.#announcedIds.has(request.id)) continue;
      this.#announcedIds.add(request.id);
      lines.push(waitingLine(request));
    }
    return lines;
  }

  /**
   * Closes the gateway: the requests that were reported as waiting and have not ended are reported as cancelled now. Else
   * they would count as open for an hour, and no window of theirs would become final.
   */
  close(): string[] {
    const lines: string[] = [];
    for (const { request } of this.#loop.openRequests()) {
      if (this.#announcedIds.has(request.id)) lines.push(cancelledLine(request, this.#simulatedToMs));
    }
    this.#announcedIds.clear();
    return lines;
  }
}
