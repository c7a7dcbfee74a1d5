import { afterEach, describe, expect, it } from 'vitest';
import { type DemoGatewayOptions, startDemoGateway } from '../../../cli/demo/demo-gateway.ts';
import {
  type EndedRequest,
  EventLoop,
  noisyNeighbour,
  noisyNeighbourPolicy,
} from '../../../scheduler-core/simulate/index.ts';
import { fakeClock, stoppedClock } from './fake-clock.ts';
import { type IntakeAnswer, type RecordingIntake, startIntake } from './recording-intake.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** Four minutes into a quarter of an hour: a minute of the flood is left. */
const OPENED_AT_MS = Date.UTC(2026, 10, 1, 10, 4, 0);
const HISTORY_TO_MS = OPENED_AT_MS + 30 * SECOND_MS;
const SEED = 7;
const OK: IntakeAnswer = { status: 202, body: '{"accepted":1,"duplicate":0,"rejected":[]}' };

type Line = Record<string, unknown>;

const intakes: RecordingIntake[] = [];
afterEach(async () => {
  for (const intake of intakes.splice(0)) await intake.close();
});

interface RunOptions extends Partial<DemoGatewayOptions> {
  /** Stop as soon as the history is posted; default: 15 s later on the fake clock. */
  readonly stopAfterHistory?: boolean;
  readonly answer?: (index: number) => IntakeAnswer;
}

/** History of half a minute and live traffic, on a clock that takes no time. */
async function run(runOptions: RunOptions = {}) {
  const { stopAfterHistory = false, answer = () => OK, ...options } = runOptions;
  const stopAtMs = stopAfterHistory ? Number.POSITIVE_INFINITY : HISTORY_TO_MS + 15 * SECOND_MS;
  const intake = await startIntake(answer);
  intakes.push(intake);
  const stop = new AbortController();
  const clock = fakeClock(HISTORY_TO_MS, (nowMs) => {
    if (nowMs >= stopAtMs) stop.abort();
  });
  const messages: string[] = [];
  const demo = startDemoGateway({
    baseUrl: intake.baseUrl,
    token: null,
    policy: 'fifo',
    seed: SEED,
    clock,
    historyFromMs: OPENED_AT_MS,
    historyToMs: HISTORY_TO_MS,
    log: { info: (text) => messages.push(text), warn: (text) => messages.push(text) },
    signal: stop.signal,
    ...options,
  });
  await demo.historyPosted;
  if (stopAfterHistory) stop.abort();
  await demo.stopped;
  const lines = intake.accepted();
  return { demo, intake, messages, lines, decisions: lines.filter(({ request_id }) => request_id !== undefined) };
}

/** What the demo must report, from a simulation of its own in one piece. */
function simulate(policy: 'fifo' | 'drr', toMs: number): EndedRequest[] {
  const loop = new EventLoop({
    arrivals: noisyNeighbour({
      seed: SEED,
      rateScale: 0.1,
      serviceScale: 10,
      durationMs: Number.POSITIVE_INFINITY,
      bursts: { everyMs: 15 * MINUTE_MS, lengthMs: 5 * MINUTE_MS },
      originMs: OPENED_AT_MS,
    }),
    policy: noisyNeighbourPolicy(policy, 10),
    nowMs: OPENED_AT_MS,
    slots: 8,
  });
  return loop.advanceTo(toMs);
}

function sequenceOf(line: Line): number {
  return Number(String(line.request_id).split('-').at(-1));
}

function isEnd({ outcome, completed_at, status }: Line): boolean {
  return outcome === 'rejected' || (completed_at !== undefined && status === 'ok');
}

function isWaiting({ outcome, dispatched_at, completed_at }: Line): boolean {
  return outcome === 'admitted' && dispatched_at === undefined && completed_at === undefined;
}

describe('the simulated gateway of the demo', () => {
  it.each(['fifo', 'drr'] as const)(
    'reports history and live traffic as one sequence: the simulation, under %s',
    async (policy) => {
      const { demo, decisions } = await run({ policy });
      const ends = decisions.filter(isEnd).sort((left, right) => sequenceOf(left) - sequenceOf(right));
      const expected = simulate(policy, demo.simulatedToMs()).sort(
        (left, right) => Number(left.request.id) - Number(right.request.id),
      );
      const floor = (atMs: number | null) => (atMs === null ? undefined : Math.floor(atMs));
      expect(ends.map((line) => [sequenceOf(line), line.tenant, line.outcome, line.reason])).toEqual(
        expected.map(({ request: { id, tenant }, outcome, reason }) => [
          Number(id),
          tenant,
          outcome === 'served' ? 'admitted' : outcome,
          reason ?? undefined,
        ]),
      );
      expect(ends.map((line) => [line.arrived_at, line.dispatched_at, line.completed_at])).toEqual(
        expected.map(({ request, dispatchedAtMs, endedAtMs }) => [
          floor(request.arrivedAtMs),
          floor(dispatchedAtMs),
          floor(dispatchedAtMs === null ? null : endedAtMs),
        ]),
      );
      expect(demo.simulatedToMs()).toBeGreaterThan(HISTORY_TO_MS + 14 * SECOND_MS);
    },
  );

  it('floods in the first five minutes of every fifteen and not after', async () => {
    const { decisions } = await run({
      policy: 'drr',
      historyToMs: OPENED_AT_MS + 2 * MINUTE_MS,
      stopAfterHistory: true,
    });
    const heavyRps = (fromMs: number): number =>
      decisions.filter(({ tenant, arrived_at }) => {
        const atMs = Number(arrived_at);
        return tenant === 'heavy' && atMs >= fromMs && atMs < fromMs + 50 * SECOND_MS;
      }).length / 50;
    expect(heavyRps(OPENED_AT_MS)).toBeGreaterThan(180);
    expect(heavyRps(OPENED_AT_MS + MINUTE_MS)).toBeLessThan(50);
  });

  it('announces its pool first, and names itself in every event', async () => {
    const { intake, decisions } = await run();
    expect(JSON.parse(intake.requests[0]?.body.split('\n')[0] ?? '')).toEqual({
      schema: 'evenshare.pool.v1',
      pool: 'demo',
      at: OPENED_AT_MS,
      slots: 8,
    });
    const names = new Set(decisions.map((line) => [line.pool, line.gateway, line.class, line.schema].join(' ')));
    expect([...names]).toEqual(['demo demo-gateway interactive evenshare.decision.v1']);
  });

  it('reports each end once, and a request that waits for two seconds once before, under one identity', async () => {
    const { decisions } = await run();
    const ends = new Map(decisions.filter(isEnd).map((line) => [line.request_id, line]));
    const waiting = new Map(decisions.filter(isWaiting).map((line) => [line.request_id, line]));
    expect(ends.size).toBe(decisions.filter(isEnd).length);
    expect(waiting.size).toBe(decisions.filter(isWaiting).length);
    expect(waiting.size).toBeGreaterThan(100);
    for (const [id, line] of waiting) {
      const end = ends.get(id);
      if (end === undefined) continue;
      expect([end.tenant, end.arrived_at, end.outcome]).toEqual([line.tenant, line.arrived_at, 'admitted']);
      expect(Number(end.dispatched_at) - Number(end.arrived_at)).toBeGreaterThanOrEqual(2 * SECOND_MS - 1);
    }
    const mustWait = [...ends.values()].filter(
      (end) =>
        Number(end.dispatched_at) - Number(end.arrived_at) > 2.3 * SECOND_MS &&
        Number(end.dispatched_at) > HISTORY_TO_MS + SECOND_MS,
    );
    expect(mustWait.length).toBeGreaterThan(100);
    for (const { request_id } of mustWait) expect(waiting.has(request_id)).toBe(true);
  });

  it('reports as cancelled on stopping what it had reported as waiting', async () => {
    const { demo, decisions } = await run();
    const open = new Set(decisions.filter(isWaiting).map(({ request_id }) => request_id));
    for (const end of decisions.filter(isEnd)) open.delete(end.request_id);
    const cancelled = decisions.filter(({ status }) => status === 'cancelled');
    expect(open.size).toBeGreaterThan(100);
    expect(new Set(cancelled.map(({ request_id }) => request_id))).toEqual(open);
    for (const { completed_at } of cancelled) expect(completed_at).toBe(demo.simulatedToMs());
  });

  it('gives the ids of a gateway that opens later, or with another seed or policy, to no one else', async () => {
    const runs = [
      await run(),
      await run({ policy: 'drr' }),
      await run({ seed: SEED + 1 }),
      await run({ historyFromMs: OPENED_AT_MS + 1 }),
    ];
    const ids = runs.flatMap(({ decisions }) => [...new Set(decisions.map(({ request_id }) => request_id))]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('posts the same lines for the same options, whatever the intake does in between', async () => {
    const endsOf = (lines: readonly Line[]) =>
      lines
        .filter(isEnd)
        .map((line) => JSON.stringify(line))
        .sort();
    const historyToMs = OPENED_AT_MS + 3 * MINUTE_MS;
    const smooth = await run({ historyToMs, stopAfterHistory: true });
    const rough = await run({
      historyToMs,
      stopAfterHistory: true,
      answer: (index) => (index % 3 === 0 ? { status: 503, headers: { 'retry-after': '2' } } : OK),
    });
    expect(rough.demo.counts().retries).toBeGreaterThan(1);
    expect(rough.demo.counts()).toMatchObject({ dropped: 0, rejected: 0, posted: rough.lines.length });
    expect(endsOf(rough.lines)).toEqual(endsOf(smooth.lines));
    expect(endsOf(rough.lines).length).toBeGreaterThan(15_000);
  });

  it('stops at once while the intake keeps it waiting, and counts what is lost', async () => {
    const intake = await startIntake(() => ({ status: 503, headers: { 'retry-after': '3600' } }));
    intakes.push(intake);
    const stop = new AbortController();
    const messages: string[] = [];
    const demo = startDemoGateway({
      baseUrl: intake.baseUrl,
      token: null,
      policy: 'fifo',
      seed: SEED,
      clock: stoppedClock(HISTORY_TO_MS),
      historyFromMs: OPENED_AT_MS,
      historyToMs: HISTORY_TO_MS,
      log: {
        info: (text) => messages.push(text),
        warn: (text) => {
          messages.push(text);
          stop.abort();
        },
      },
      signal: stop.signal,
    });
    await demo.stopped;
    expect(demo.counts().posted).toBe(0);
    expect(demo.counts().dropped).toBeGreaterThan(0);
    expect(messages[0]).toBe('demo: the intake answered 503: trying again');
  });
});
