import { afterEach, describe, expect, it } from 'vitest';
import { EventPoster, type EventPosterOptions } from '../../../cli/demo/event-poster.ts';
import { seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { fakeClock } from './fake-clock.ts';
import { type IntakeAnswer, type RecordingIntake, startIntake } from './recording-intake.ts';

const OK: IntakeAnswer = { status: 202, body: '{"accepted":1,"duplicate":0,"rejected":[]}' };
const LINE = '{"request_id":"1"}\n';

const intakes: RecordingIntake[] = [];
afterEach(async () => {
  for (const intake of intakes.splice(0)) await intake.close();
});

async function intakeThat(answer: (index: number) => IntakeAnswer | null): Promise<RecordingIntake> {
  const intake = await startIntake(answer);
  intakes.push(intake);
  return intake;
}

function posterTo(baseUrl: string, options: Partial<EventPosterOptions> = {}) {
  const clock = fakeClock(0);
  const messages: string[] = [];
  const log = { info: (text: string) => messages.push(text), warn: (text: string) => messages.push(text) };
  const stop = new AbortController();
  const base = { baseUrl, token: null, clock, random: seededRandom(1), log, signal: stop.signal };
  return { poster: new EventPoster({ ...base, ...options }), clock, messages, stop };
}

describe('posting of events', () => {
  it('sends NDJSON to the intake with the token, and counts what was taken and what was rejected', async () => {
    const intake = await intakeThat(() => ({ status: 202, body: '{"accepted":1,"rejected":[{"line":2}]}' }));
    const { poster } = posterTo(`${intake.baseUrl}/`, { token: 'sesame' });
    await poster.post([LINE, LINE]);
    await poster.settled();
    expect(intake.requests).toEqual([
      {
        method: 'POST',
        url: '/v1/events',
        contentType: 'application/x-ndjson',
        authorization: 'Bearer sesame',
        body: LINE + LINE,
      },
    ]);
    expect(poster.counts()).toEqual({ posted: 2, rejected: 1, dropped: 0, retries: 0 });
  });

  it.each([429, 503])('tries again after a %i, when the intake asks it to, with the same body', async (status) => {
    const answers = [{ status, headers: { 'retry-after': '7' } }, { status }];
    const intake = await intakeThat((index) => answers[index] ?? OK);
    const { poster, clock, messages } = posterTo(intake.baseUrl);
    await poster.post([LINE]);
    await poster.settled();
    expect(intake.requests.map(({ body }) => body)).toEqual([LINE, LINE, LINE]);
    expect(clock.sleepsMs[0]).toBeGreaterThanOrEqual(7000);
    expect(clock.sleepsMs[0]).toBeLessThan(7250);
    expect(clock.sleepsMs[1]).toBeLessThanOrEqual(500);
    expect(poster.counts()).toEqual({ posted: 1, rejected: 0, dropped: 0, retries: 2 });
    expect(messages).toHaveLength(2);
  });

  it('tries again when there is no intake, a bounded number of times, then drops and says so once', async () => {
    const intake = await startIntake();
    await intake.close();
    const { poster, clock, messages } = posterTo(intake.baseUrl);
    await poster.post([LINE, LINE, LINE]);
    await poster.settled();
    expect(poster.counts()).toEqual({ posted: 0, rejected: 0, dropped: 3, retries: 19 });
    expect(clock.sleepsMs).toHaveLength(19);
    expect(messages).toEqual(['demo: the intake could not be reached: trying again']);
  });

  it.each([400, 401, 403, 413])('drops at once what the intake refuses for good with a %i', async (status) => {
    const intake = await intakeThat(() => ({ status }));
    const { poster, messages } = posterTo(intake.baseUrl);
    await poster.post([LINE]);
    await poster.post([LINE]);
    await poster.settled();
    expect(poster.counts()).toEqual({ posted: 0, rejected: 0, dropped: 2, retries: 0 });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(`${status}`);
  });

  it('has two requests in flight and never more', async () => {
    const intake = await intakeThat((index) => (index === 0 ? null : OK));
    const { poster, stop } = posterTo(intake.baseUrl, { graceMs: 0 });
    for (let chunk = 0; chunk < 20; chunk++) await poster.post([LINE]);
    expect(intake.requests.length).toBeGreaterThanOrEqual(19);
    expect(intake.mostInFlight()).toBe(2);
    stop.abort();
    await poster.settled();
    expect(poster.counts().posted + poster.counts().dropped).toBe(20);
  });

  it('gives up an answer that never comes when it is told to stop', async () => {
    const stop = new AbortController();
    const intake = await intakeThat(() => {
      stop.abort();
      return null;
    });
    const { poster } = posterTo(intake.baseUrl, { signal: stop.signal, graceMs: 0 });
    await poster.post([LINE]);
    await poster.settled();
    expect(poster.counts()).toEqual({ posted: 0, rejected: 0, dropped: 1, retries: 0 });
  });

  it('tries what it is given after the stop once, and not again', async () => {
    const intake = await intakeThat((index) => (index === 0 ? { status: 503 } : OK));
    const { poster, stop } = posterTo(intake.baseUrl);
    stop.abort();
    await poster.post([LINE]);
    await poster.settled();
    await poster.post([LINE]);
    await poster.settled();
    expect(poster.counts()).toEqual({ posted: 1, rejected: 0, dropped: 1, retries: 0 });
  });
});
