import { assertInvariant } from '../kernel/assert.ts';
import type { CircuitBreakerPolicy } from '../policy/policy.ts';

export type BreakerState = 'closed' | 'open' | 'half_open';

/**
 * A circuit breaker: closed until `failures` calls in a row fail; then open for `coolDownMs`; then half open, with at
 * most `probes` calls under way at a time, until `successes` of them have succeeded (closed) or one has failed (open).
 *
 * Each admitted call holds a ticket that is handed back once, to `settle` or to `release`. A ticket names the episode
 * it was given in; a result that comes home to a later episode says nothing about this one and is ignored, but a probe
 * that is still under way takes its place among the probes of any episode.
 * Source: M. Nygard, Release It!, "Circuit Breaker"; THEORY.md, "Circuit breaker".
 */
export class CircuitBreaker {
  readonly #policy: CircuitBreakerPolicy;
  #isOpen = false;
  /** Even while closed, odd while half open: so that a ticket tells whether it is a probe's. */
  #episode = 0;
  #openUntilMs = 0;
  #failuresInRow = 0;
  #successesInRow = 0;
  #probesUnderWay = 0;

  constructor(policy: CircuitBreakerPolicy) {
    const { failures, coolDownMs, probes, successes } = policy;
    for (const count of [failures, probes, successes]) {
      assertInvariant(Number.isInteger(count) && count >= 1, `counts of a breaker must be whole and ≥ 1, got ${count}`);
    }
    assertInvariant(coolDownMs > 0, `a cool-down must be > 0 ms, got ${coolDownMs}`);
    this.#policy = policy;
  }

  /** Changes nothing: an open breaker whose cool-down is over is half open. */
  state(nowMs: number): BreakerState {
    if (this.#isOpen) return nowMs >= this.#openUntilMs ? 'half_open' : 'open';
    return isProbe(this.#episode) ? 'half_open' : 'closed';
  }

  /** Closed, with nothing held against it and no probe under way: a new breaker would do the same. */
  isPristine(): boolean {
    return !this.#isOpen && !isProbe(this.#episode) && this.#failuresInRow === 0 && this.#probesUnderWay === 0;
  }

  /** A ticket for one call, to be handed back once; null: refused. */
  tryAdmit(nowMs: number): number | null {
    const state = this.state(nowMs);
    if (state === 'closed') return this.#episode;
    if (state === 'open' || this.#probesUnderWay >= this.#policy.probes) return null;
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#successesInRow = 0;
      this.#episode = nextEpisode(this.#episode, 'probing');
    }
    this.#probesUnderWay++;
    return this.#episode;
  }

  /** The call of this ticket has ended. */
  settle(ticket: number, succeeded: boolean, nowMs: number): void {
    this.release(ticket);
    if (this.#isOpen || ticket !== this.#episode) return;
    if (isProbe(ticket)) this.#settleProbe(succeeded, nowMs);
    else if (succeeded) this.#failuresInRow = 0;
    else if (++this.#failuresInRow >= this.#policy.failures) this.#open(nowMs);
  }

  /** The call of this ticket was not made after all, or ended without saying anything of the server: it was cancelled. */
  release(ticket: number): void {
    if (isProbe(ticket) && this.#probesUnderWay > 0) this.#probesUnderWay--;
  }

  /**
   * How long until a call may pass, ms: 0 when it may now, exact while open (`nowMs + wait` is then half open); null
   * while all probes are under way, as nobody knows when they end.
   */
  retryAfterMs(nowMs: number): number | null {
    const state = this.state(nowMs);
    if (state === 'open') return waitUntil(this.#openUntilMs, nowMs);
    return state === 'half_open' && this.#probesUnderWay >= this.#policy.probes ? null : 0;
  }

  #settleProbe(succeeded: boolean, nowMs: number): void {
    if (!succeeded) this.#open(nowMs);
    else if (++this.#successesInRow >= this.#policy.successes) {
      this.#episode = nextEpisode(this.#episode, 'closed');
      this.#failuresInRow = 0;
    }
  }

  #open(nowMs: number): void {
    this.#isOpen = true;
    this.#openUntilMs = nowMs + this.#policy.coolDownMs;
  }
}

function isProbe(ticket: number): boolean {
  return ticket % 2 === 1;
}

function nextEpisode(episode: number, to: 'closed' | 'probing'): number {
  const next = episode + 1;
  return isProbe(next) === (to === 'probing') ? next : next + 1;
}

/** The wait after which a clock that shows `nowMs` shows `atMs` or more, rounding included. */
function waitUntil(atMs: number, nowMs: number): number {
  let waitMs = atMs - nowMs;
  let stepMs = Math.abs(nowMs) * Number.EPSILON;
  for (; nowMs + waitMs < atMs; stepMs *= 2) waitMs += stepMs;
  return waitMs;
}
