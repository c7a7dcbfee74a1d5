import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from '../../../scheduler-core/admission/index.ts';

const POLICY = { failures: 5, coolDownMs: 5000, probes: 3, successes: 2 };

/** Admits and settles at once. */
function call(breaker: CircuitBreaker, succeeded: boolean, nowMs: number): void {
  const ticket = admitted(breaker, nowMs);
  breaker.settle(ticket, succeeded, nowMs);
}

function admitted(breaker: CircuitBreaker, nowMs: number): number {
  const ticket = breaker.tryAdmit(nowMs);
  if (ticket === null) throw new Error(`refused at ${nowMs} while ${breaker.state(nowMs)}`);
  return ticket;
}

/** Failed as often as it takes, at time 0. */
function opened(policy = POLICY): CircuitBreaker {
  const breaker = new CircuitBreaker(policy);
  for (let failure = 0; failure < policy.failures; failure++) call(breaker, false, 0);
  return breaker;
}

describe('a circuit breaker', () => {
  it('opens after five failures in a row, not before', () => {
    const breaker = new CircuitBreaker(POLICY);
    for (let failure = 0; failure < 4; failure++) call(breaker, false, 0);
    expect(breaker.state(0)).toBe('closed');
    call(breaker, false, 0);
    expect(breaker.state(0)).toBe('open');
    expect(breaker.tryAdmit(1)).toBeNull();
  });

  it('counts failures anew after a success', () => {
    const breaker = new CircuitBreaker(POLICY);
    for (let failure = 0; failure < 4; failure++) call(breaker, false, 0);
    call(breaker, true, 0);
    for (let failure = 0; failure < 4; failure++) call(breaker, false, 0);
    expect(breaker.state(0)).toBe('closed');
  });

  it('counts failures in the order in which calls end', () => {
    const breaker = new CircuitBreaker(POLICY);
    const tickets = Array.from({ length: 6 }, () => admitted(breaker, 0));
    for (const [index, ticket] of tickets.entries()) breaker.settle(ticket, index === 2, 10);
    expect(breaker.state(10)).toBe('closed');
  });

  it('says how long it stays open, and admits exactly then', () => {
    const breaker = opened();
    expect(breaker.retryAfterMs(1000)).toBe(4000);
    expect([breaker.state(4999.999), breaker.tryAdmit(4999.999)]).toEqual(['open', null]);
    expect(breaker.state(5000)).toBe('half_open');
    expect(breaker.retryAfterMs(5000)).toBe(0);
    expect(breaker.tryAdmit(5000)).not.toBeNull();
  });

  it('lets a bounded number of probes through at a time', () => {
    const breaker = opened();
    const tickets = [admitted(breaker, 5000), admitted(breaker, 5000), admitted(breaker, 5000)];
    expect([breaker.tryAdmit(5000), breaker.tryAdmit(99_000)]).toEqual([null, null]);
    expect(breaker.retryAfterMs(5000)).toBeNull();
    breaker.settle(tickets[0] ?? 0, true, 5010);
    expect([breaker.tryAdmit(5010) === null, breaker.tryAdmit(5010) === null]).toEqual([false, true]);
  });

  it('is not closed by one success where two are wanted', () => {
    const breaker = opened();
    call(breaker, true, 5000);
    expect(breaker.state(5000)).toBe('half_open');
    call(breaker, true, 5001);
    expect(breaker.state(5001)).toBe('closed');
  });

  it('opens again, for the whole time, when a probe fails', () => {
    const breaker = opened();
    call(breaker, true, 5000);
    call(breaker, false, 6000);
    expect([breaker.state(6000), breaker.retryAfterMs(6000)]).toEqual(['open', 5000]);
    expect(breaker.state(11_000)).toBe('half_open');
    // The success of the first half-open episode counts no more.
    call(breaker, true, 11_000);
    expect(breaker.state(11_000)).toBe('half_open');
  });

  it('ignores late results of calls from before it opened', () => {
    const breaker = new CircuitBreaker(POLICY);
    const late = Array.from({ length: 8 }, () => admitted(breaker, 0));
    for (let failure = 0; failure < 5; failure++) call(breaker, false, 0);
    for (const ticket of late.slice(0, 4)) breaker.settle(ticket, true, 100);
    expect(breaker.state(100)).toBe('open');
    const probe = admitted(breaker, 5000);
    for (const ticket of late.slice(4, 6)) breaker.settle(ticket, true, 5001);
    for (const ticket of late.slice(6)) breaker.settle(ticket, false, 5001);
    expect(breaker.state(5001)).toBe('half_open');
    breaker.settle(probe, true, 5002);
    expect(breaker.state(5002)).toBe('half_open');
  });

  it('ignores late failures after it has closed again', () => {
    const breaker = new CircuitBreaker({ ...POLICY, failures: 1 });
    const late = Array.from({ length: 3 }, () => admitted(breaker, 0));
    call(breaker, false, 0);
    call(breaker, true, 5000);
    call(breaker, true, 5000);
    for (const ticket of late) breaker.settle(ticket, false, 5100);
    expect(breaker.state(5100)).toBe('closed');
  });

  it('keeps the bound on probes when probes of an earlier episode still hang', () => {
    const breaker = opened();
    const hanging = [admitted(breaker, 5000), admitted(breaker, 5000)];
    call(breaker, false, 5000);
    expect(breaker.state(10_000)).toBe('half_open');
    const probe = admitted(breaker, 10_000);
    expect(breaker.tryAdmit(10_000)).toBeNull();
    // They come home late: their places are free, their results say nothing.
    for (const ticket of hanging) breaker.settle(ticket, false, 10_001);
    expect(breaker.state(10_001)).toBe('half_open');
    const second = admitted(breaker, 10_002);
    for (const ticket of [probe, second]) breaker.settle(ticket, true, 10_003);
    expect(breaker.state(10_003)).toBe('closed');
  });

  it('frees the place of a probe that was never run, or was cancelled, without a verdict', () => {
    const breaker = opened({ ...POLICY, probes: 1 });
    const ticket = admitted(breaker, 5000);
    expect(breaker.tryAdmit(5000)).toBeNull();
    breaker.release(ticket);
    expect(breaker.state(5000)).toBe('half_open');
    expect(breaker.tryAdmit(5000)).not.toBeNull();
  });

  it('forgets nothing of a row of failures when calls are cancelled', () => {
    const breaker = new CircuitBreaker({ ...POLICY, failures: 2 });
    call(breaker, false, 0);
    breaker.release(admitted(breaker, 1));
    call(breaker, false, 2);
    expect(breaker.state(2)).toBe('open');
  });

  it('stays open on a clock that goes back', () => {
    const breaker = opened();
    expect(breaker.state(-1e6)).toBe('open');
    expect(breaker.tryAdmit(-1e6)).toBeNull();
  });

  it('is as good as new while closed without a failure in a row, and at no other time', () => {
    const breaker = new CircuitBreaker({ ...POLICY, failures: 2 });
    const seen = [breaker.isPristine()];
    call(breaker, false, 0);
    seen.push(breaker.isPristine());
    call(breaker, false, 0);
    seen.push(breaker.isPristine());
    call(breaker, true, 5000);
    seen.push(breaker.isPristine());
    call(breaker, true, 5000);
    seen.push(breaker.isPristine());
    expect(seen).toEqual([true, false, false, false, true]);
  });

  it.each([
    { why: 'no failures', policy: { ...POLICY, failures: 0 } },
    { why: 'half a probe', policy: { ...POLICY, probes: 0.5 } },
    { why: 'no successes', policy: { ...POLICY, successes: 0 } },
    { why: 'no cool-down', policy: { ...POLICY, coolDownMs: 0 } },
  ])('refuses a policy with $why', ({ policy }) => {
    expect(() => new CircuitBreaker(policy)).toThrow(expect.objectContaining({ code: 'EVS_INVARIANT' }));
  });

  it('is open no longer after exactly the wait that it told, on any clock', () => {
    const clock = fc.oneof(fc.double({ min: -1e3, max: 2e12, noNaN: true }), fc.constantFrom(0, 1.8e12));
    const duration = fc.double({ min: 1e-6, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(clock, duration, fc.double({ min: 0, max: 1, noNaN: true }), (startMs, coolDownMs, part) => {
        const breaker = new CircuitBreaker({ ...POLICY, failures: 1, coolDownMs });
        call(breaker, false, startMs);
        const nowMs = startMs + coolDownMs * part;
        const waitMs = breaker.retryAfterMs(nowMs) ?? Number.NaN;
        expect(waitMs === 0).toBe(breaker.state(nowMs) === 'half_open');
        expect(breaker.state(nowMs + waitMs)).toBe('half_open');
      }),
      { numRuns: 2000 },
    );
  });

  it('is, over any story, a plain machine of three states that reads results of its own episode only', () => {
    const policy = { failures: 3, coolDownMs: 100, probes: 2, successes: 2 };
    const move = fc.record({
      pauseMs: fc.constantFrom(0, 1, 40, 100),
      act: fc.constantFrom('admit', 'admit', 'succeed', 'fail', 'fail', 'release'),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 80 }), (moves) => {
        const breaker = new CircuitBreaker(policy);
        const plain = new PlainBreaker(policy);
        const calls: { ticket: number; plainCall: PlainCall }[] = [];
        let nowMs = 0;
        for (const { pauseMs, act, which } of moves) {
          nowMs += pauseMs;
          if (act === 'admit') {
            const ticket = breaker.tryAdmit(nowMs);
            const plainCall = plain.admit(nowMs);
            expect(ticket === null).toBe(plainCall === null);
            if (ticket !== null && plainCall !== null) calls.push({ ticket, plainCall });
          } else {
            const [ended] = calls.length === 0 ? [] : calls.splice(which % calls.length, 1);
            if (ended === undefined) continue;
            if (act === 'release') breaker.release(ended.ticket);
            else breaker.settle(ended.ticket, act === 'succeed', nowMs);
            plain.end(ended.plainCall, act, nowMs);
          }
          expect(breaker.state(nowMs)).toBe(plain.stateAt(nowMs));
        }
      }),
      { numRuns: 3000 },
    );
  });
});

interface PlainCall {
  readonly era: object;
  readonly isProbe: boolean;
}

/** The same by a different bookkeeping: each state is an object of its own, and the list of probes is a list. */
class PlainBreaker {
  readonly #policy: typeof POLICY;
  #era: { kind: 'closed' | 'open' | 'half_open'; untilMs: number; results: boolean[] } = PlainBreaker.#closed();
  #probes: PlainCall[] = [];

  constructor(policy: typeof POLICY) {
    this.#policy = policy;
  }

  static #closed(): { kind: 'closed' | 'open' | 'half_open'; untilMs: number; results: boolean[] } {
    return { kind: 'closed', untilMs: 0, results: [] };
  }

  stateAt(nowMs: number): string {
    return this.#era.kind === 'open' && nowMs >= this.#era.untilMs ? 'half_open' : this.#era.kind;
  }

  admit(nowMs: number): PlainCall | null {
    const state = this.stateAt(nowMs);
    if (state === 'open' || (state === 'half_open' && this.#probes.length >= this.#policy.probes)) return null;
    if (state !== this.#era.kind) this.#era = { kind: 'half_open', untilMs: 0, results: [] };
    const call = { era: this.#era, isProbe: state === 'half_open' };
    if (call.isProbe) this.#probes.push(call);
    return call;
  }

  end(call: PlainCall, how: string, nowMs: number): void {
    this.#probes = this.#probes.filter((each) => each !== call);
    if (how === 'release' || call.era !== this.#era) return;
    this.#era.results.push(how === 'succeed');
    const { kind, results } = this.#era;
    const tail = results.slice(-this.#policy.failures);
    const failed =
      kind === 'closed' ? tail.length === this.#policy.failures && !tail.includes(true) : results.includes(false);
    if (failed) this.#era = { kind: 'open', untilMs: nowMs + this.#policy.coolDownMs, results: [] };
    else if (kind === 'half_open' && results.length >= this.#policy.successes) this.#era = PlainBreaker.#closed();
  }
}
