import { afterEach, describe, expect, it } from 'vitest';
import { createEmitter, type Emitter, type EmitterOptions, type EmitterTrouble } from '../../../ingest/emit/index.ts';
import { type ManualParts, manualParts } from './manual-parts.ts';
import { type Receiver, type ReceiverAnswer, startReceiver } from './receiver.ts';

const OK: ReceiverAnswer = { status: 202, body: '{"accepted":1,"rejected":[],"rejected_total":0}' };
const isRetryDelay = (ms: number): boolean => ms < 1_000;

const open: { readonly receivers: Receiver[]; readonly emitters: Emitter[] } = { receivers: [], emitters: [] };
afterEach(async () => {
  for (const emitter of open.emitters.splice(0)) void emitter.close(0);
  for (const receiver of open.receivers.splice(0)) await receiver.close();
});

async function receiverThat(answer?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  open.receivers.push(receiver);
  return receiver;
}

function emitterTo(url: string, options: Partial<EmitterOptions> = {}) {
  const parts: ManualParts = manualParts();
  const troubles: EmitterTrouble[] = [];
  const tuning = { maxDelayMs: 5_000, onTrouble: (trouble: EmitterTrouble) => void troubles.push(trouble), parts };
  // Seam: the options of a test are for a url.
  const emitter = createEmitter({ ...tuning, ...options, url } as EmitterOptions);
  open.emitters.push(emitter);
  return { emitter, parts, troubles };
}

const event = (id: string | number) => ({ request_id: String(id), tenant: 'a', arrived_at: 1_790_848_800_000 });
const NOTHING_DROPPED = { buffer_full: 0, unreadable: 0, refused: 0, closed: 0 };

describe('the emitter', () => {
  it('sends what was emitted as NDJSON with the token, as it was when it was emitted', async () => {
    const receiver = await receiverThat();
    const { emitter } = emitterTo(`${receiver.url}/`, { token: 'sesame' } as Partial<EmitterOptions>);
    const changing = { ...event('r1'), dispatched_at: new Date(1_790_848_800_005), note: '🦊\n' };
    expect(emitter.emit(changing)).toBe(true);
    changing.note = 'changed';
    expect(await emitter.flush()).toBe(true);
    const [request] = receiver.requests;
    expect(request?.url).toBe('/v1/events');
    expect(request?.headers).toMatchObject({ authorization: 'Bearer sesame', 'content-type': 'application/x-ndjson' });
    expect(request?.lines.map((line) => JSON.parse(line))).toEqual([
      { ...event('r1'), dispatched_at: '2026-10-01T10:00:00.005Z', note: '🦊\n' },
    ]);
    expect(emitter.stats()).toMatchObject({ emitted: 1, delivered: 1, rejected: 0, dropped: NOTHING_DROPPED });
  });

  it('waits for company, but no longer than it may', async () => {
    const receiver = await receiverThat();
    const { emitter, parts } = emitterTo(receiver.url);
    emitter.emit(event(1));
    parts.pass(4_999);
    emitter.emit(event(2));
    expect(receiver.requests).toEqual([]);
    parts.pass(1);
    await receiver.came(1);
    expect(receiver.taken).toEqual(['1', '2']);
  });

  it.each([
    { why: 'by count', tuning: { maxBatchEvents: 10 } },
    { why: 'by bytes', tuning: { maxBatchBytes: 10 * 66 } },
  ])('sends a full batch at once, $why, packed', async ({ tuning }) => {
    const receiver = await receiverThat();
    const { emitter } = emitterTo(receiver.url, tuning);
    const events = Array.from({ length: 40 }, (_, index) => ({ ...event(100 + index), pad: 'x'.repeat(100) }));
    for (const each of events) emitter.emit(each);
    await emitter.flush();
    expect(receiver.requests.length).toBeGreaterThanOrEqual(4);
    expect([...receiver.taken].sort()).toEqual(events.map(({ request_id: id }) => id));
    if (tuning.maxBatchEvents !== undefined) {
      expect(receiver.requests.map(({ lines }) => lines.length)).toEqual([10, 10, 10, 10]);
      expect(receiver.requests[0]?.headers['content-encoding']).toBe('gzip');
    }
  });

  it.each([429, 500, 503, 408])('sends the same again after a %i, when it is asked to', async (status) => {
    const answers = [{ status, headers: { 'retry-after': '7' } }, { status }];
    const receiver = await receiverThat((index) => answers[index] ?? OK);
    const { emitter, parts, troubles } = emitterTo(receiver.url);
    emitter.emit(event(1));
    const flushed = emitter.flush(3_600_000);
    const first = await parts.asleepFor((ms) => ms >= 7_000 && ms <= 7_250);
    parts.pass(first);
    const second = await parts.asleepFor(isRetryDelay);
    expect(second).toBeGreaterThanOrEqual(250);
    parts.pass(second);
    expect(await flushed).toBe(true);
    expect(receiver.requests.map(({ lines }) => lines)).toEqual([1, 2, 3].map(() => [JSON.stringify(event(1))]));
    expect(emitter.stats()).toMatchObject({ emitted: 1, delivered: 1, retries: 2, dropped: NOTHING_DROPPED });
    expect(troubles.map(({ kind }) => kind)).toEqual(['failing', 'recovered']);
  });

  it('keeps events while nobody answers, drops what has no room, and counts that', async () => {
    const receiver = await receiverThat();
    const { url } = receiver;
    await receiver.close();
    const { emitter, parts, troubles } = emitterTo(url, { maxBufferedEvents: 25, maxBatchEvents: 10 });
    const taken = Array.from({ length: 40 }, (_, index) => emitter.emit(event(index)));
    expect(taken).toEqual([...Array(25).fill(true), ...Array(15).fill(false)]);
    await parts.asleepFor(isRetryDelay);
    expect(emitter.stats()).toMatchObject({
      emitted: 25,
      delivered: 0,
      dropped: { ...NOTHING_DROPPED, buffer_full: 15 },
      bufferedEvents: 25,
    });
    expect(troubles.map(({ kind }) => kind)).toEqual(['dropping', 'failing']);
    for (const { message } of troubles) expect(message).not.toContain('127.0.0.1');
  });

  it('gives up what the other side will never take', async () => {
    const receiver = await receiverThat(() => ({ status: 401 }));
    const { emitter, troubles } = emitterTo(receiver.url, { token: 'wrong' } as Partial<EmitterOptions>);
    emitter.emit(event(1));
    expect(await emitter.flush()).toBe(true);
    expect(emitter.stats()).toMatchObject({ delivered: 0, dropped: { ...NOTHING_DROPPED, refused: 1 } });
    expect(troubles).toEqual([{ kind: 'refused', message: 'Evenshare answered 401: 1 events are given up' }]);
  });

  it('follows no redirect: the token is for one address', async () => {
    const elsewhere = await receiverThat();
    const receiver = await receiverThat(() => ({ status: 307, headers: { location: `${elsewhere.url}/v1/events` } }));
    const { emitter } = emitterTo(receiver.url, { token: 'sesame' } as Partial<EmitterOptions>);
    emitter.emit(event(1));
    await emitter.flush();
    expect(elsewhere.requests).toEqual([]);
    expect(emitter.stats().dropped.refused).toBe(1);
  });

  it('sends less at a time where a batch is too large, and gives up only what is too large alone', async () => {
    const receiver = await receiverThat((_, { lines }) =>
      lines.length > 3 || lines.some((line) => line.includes('huge')) ? { status: 413 } : OK,
    );
    const { emitter } = emitterTo(receiver.url);
    for (let index = 0; index < 10; index++) emitter.emit(event(index === 4 ? 'huge' : index));
    await emitter.flush();
    expect([...receiver.taken].sort()).toEqual(['0', '1', '2', '3', '5', '6', '7', '8', '9']);
    expect(emitter.stats()).toMatchObject({ delivered: 9, dropped: { ...NOTHING_DROPPED, refused: 1 } });
  });

  it('tells of dead letters', async () => {
    const body = JSON.stringify({ accepted: 1, rejected: [{ line: 2, code: 'missing_field' }], rejected_total: 1 });
    const receiver = await receiverThat(() => ({ status: 202, body }));
    const { emitter, troubles } = emitterTo(receiver.url);
    emitter.emit(event(1));
    emitter.emit(event(2));
    await emitter.flush();
    expect(emitter.stats()).toMatchObject({ delivered: 2, rejected: 1 });
    expect(troubles.map(({ kind }) => kind)).toEqual(['rejected']);
  });

  it('gives up an attempt that takes too long, and makes it again', async () => {
    const receiver = await receiverThat((index) => (index === 0 ? null : OK));
    const { emitter, parts } = emitterTo(receiver.url, { attemptTimeoutMs: 20_000 });
    emitter.emit(event(1));
    const flushed = emitter.flush(3_600_000);
    await receiver.came(1);
    parts.pass(20_000);
    parts.pass(await parts.asleepFor(isRetryDelay));
    expect(await flushed).toBe(true);
    expect(receiver.taken).toEqual(['1']);
  });

  describe('never throws into its caller', () => {
    const circular: Record<string, unknown> = { ...event(1) };
    circular.self = circular;
    it.each([
      ['that goes in circles', circular],
      ['with a BigInt', { ...event(1), cost: 3n }],
      [
        'that throws',
        {
          ...event(1),
          toJSON: () => {
            throw new Error('no');
          },
        },
      ],
      ['of over 1 MiB', { ...event(1), note: 'x'.repeat(1_048_576) }],
      ['that is none', null],
      ['that is undefined', undefined],
      ['that is a function', () => 1],
    ])('an event %s is dropped and counted', async (_, bad) => {
      const receiver = await receiverThat();
      const { emitter } = emitterTo(receiver.url);
      // Seam: what JavaScript may hand in.
      expect(emitter.emit(bad as unknown as ReturnType<typeof event>)).toBe(false);
      expect(emitter.stats()).toMatchObject({ emitted: 0, dropped: { ...NOTHING_DROPPED, unreadable: 1 } });
    });

    it('nor does a listener that throws', async () => {
      const receiver = await receiverThat(() => ({ status: 400 }));
      const { emitter } = emitterTo(receiver.url, {
        onTrouble: () => {
          throw new Error('the caller’s own');
        },
      });
      emitter.emit(event(1));
      expect(await emitter.flush()).toBe(true);
      expect(emitter.stats().dropped.refused).toBe(1);
    });
  });

  describe('closing', () => {
    it('delivers what is there, then takes nothing more', async () => {
      const receiver = await receiverThat();
      const { emitter, parts } = emitterTo(receiver.url);
      for (let index = 0; index < 1_200; index++) emitter.emit(event(index));
      const closed = emitter.close();
      expect(parts.held()).toBe(1);
      expect(await closed).toBe(true);
      expect(parts.held()).toBe(0);
      expect(new Set(receiver.taken).size).toBe(1_200);
      expect(emitter.emit(event('late'))).toBe(false);
      expect(emitter.stats()).toMatchObject({ delivered: 1_200, dropped: { ...NOTHING_DROPPED, closed: 1 } });
      expect(await emitter.close()).toBe(true);
    });

    it('ends at its limit and counts what is lost', async () => {
      const receiver = await receiverThat(() => null);
      const { emitter, parts } = emitterTo(receiver.url);
      for (let index = 0; index < 30; index++) emitter.emit(event(index));
      const closed = emitter.close(1_500);
      await receiver.came(1);
      parts.pass(1_500);
      expect(await closed).toBe(false);
      expect(emitter.stats()).toMatchObject({
        delivered: 0,
        bufferedEvents: 0,
        dropped: { ...NOTHING_DROPPED, closed: 30 },
      });
      expect(parts.sleepingMs()).toEqual([]);
    });
  });

  it('waits, when it flushes, only for what was emitted before', async () => {
    const receiver = await receiverThat((index) => (index === 1 ? null : OK));
    const { emitter } = emitterTo(receiver.url, { maxBatchEvents: 2 });
    emitter.emit(event(1));
    const first = emitter.flush();
    await receiver.came(1);
    emitter.emit(event(2));
    emitter.emit(event(3));
    expect(await first).toBe(true);
  });

  it.each([
    ['no address', {}, /either url or kafka/],
    ['two addresses', { url: 'http://a', kafka: { brokers: ['a:1'] } }, /either url or kafka/],
    ['another protocol', { url: 'ftp://a' }, /http:\/\/ or https:/],
    ['a user in the url', { url: 'http://u:p@a' }, /no user/],
    ['no broker', { kafka: { brokers: [] } }, /brokers/],
    ['a batch of nothing', { url: 'http://a', maxBatchEvents: 0 }, /maxBatchEvents/],
  ])('is refused at once with %s', (_, options, message) => {
    // Seam: what JavaScript may hand in.
    expect(() => createEmitter(options as unknown as EmitterOptions)).toThrow(message);
  });
});
