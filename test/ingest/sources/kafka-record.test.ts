import { describe, expect, it } from 'vitest';
import { SubmissionBuilder } from '../../../ingest/batch/submission.ts';
import { findAdapter } from '../../../ingest/index.ts';
import { createMessageReader } from '../../../ingest/sources/kafka-record.ts';
import { KEPT_BYTES, MAX_LINE_BYTES } from '../../../ingest/sources/line-framing.ts';

const NOW_MS = 1_790_848_800_000;
const MINUTE_MS = 60_000;
const LIMITS = { maxFutureMs: 5 * MINUTE_MS, latenessMs: 60 * MINUTE_MS };

function read(value: Uint8Array | string | null, writtenAtMs: number | null = NOW_MS, format = 'evenshare') {
  const into = new SubmissionBuilder();
  createMessageReader({
    topic: 't.x',
    adapter: findAdapter(format),
    adapterOptions: { defaultPool: 'default', tenant: null, options: {}, mapping: null },
    limits: LIMITS,
  })(
    into,
    { offset: 41, value: typeof value === 'string' ? Buffer.from(value) : value, writtenAtMs },
    { partition: 3, nowMs: NOW_MS },
  );
  return into;
}

const eventAt = (arrivedAtMs: number): string =>
  JSON.stringify({ request_id: 'r', tenant: '中文 🦊', arrived_at: arrivedAtMs });

describe('a message', () => {
  it('is one event, in any script', () => {
    expect(read(eventAt(NOW_MS)).decisions).toMatchObject([{ requestId: 'r', tenant: '中文 🦊', arrivedAtMs: NOW_MS }]);
  });

  it('may announce a pool or report coverage instead', () => {
    const pool = read(`{"schema":"evenshare.pool.v1","pool":"p","at":${NOW_MS},"slots":8}`);
    expect(pool.pools).toMatchObject([{ pool: 'p', slots: 8 }]);
  });

  it.each([
    [null, 'empty_value', 'a tombstone'],
    ['', 'empty_value', 'no bytes'],
    [' \n', 'empty_value', 'a blank line is nothing in a file, but somebody sent this'],
    [Buffer.from([0x7b, 0xc3, 0x28]), 'not_utf8', 'broken UTF-8'],
    ['{"a":', 'not_json', 'cut off'],
    ['{"tenant":"t"}', 'missing_field', 'no request'],
    [eventAt(NOW_MS + 6 * MINUTE_MS), 'in_future', 'a clock ahead'],
    [eventAt(NOW_MS - 61 * MINUTE_MS), 'too_late', 'long over'],
  ] as const)('%j is a dead letter, %s (%s)', (value, code, _why) => {
    const { letters, size } = read(value);
    expect(size).toBe(1);
    expect(letters).toMatchObject([
      { code, source: 'kafka:t.x/3', position: 41, format: 'evenshare', receivedAtMs: NOW_MS },
    ]);
    expect(Buffer.from(letters[0]?.raw ?? [])).toEqual(Buffer.from(value ?? ''));
  });

  it('is as late as it was when it was written: however long nobody read it', () => {
    const threeDaysAgoMs = NOW_MS - 3 * 24 * 60 * MINUTE_MS;
    expect(read(eventAt(threeDaysAgoMs), threeDaysAgoMs + MINUTE_MS).decisions.length).toBe(1);
    expect(read(eventAt(threeDaysAgoMs), null).letters).toMatchObject([{ code: 'too_late' }]);
    // A producer whose clock is ahead makes nothing late.
    expect(read(eventAt(NOW_MS), NOW_MS + 90 * MINUTE_MS).decisions.length).toBe(1);
  });

  it('that is larger than a line may be is kept by its beginning', () => {
    const { letters } = read(Buffer.alloc(MAX_LINE_BYTES + 1, 'x'));
    expect(letters).toMatchObject([{ code: 'line_too_long' }]);
    expect(letters[0]?.raw.byteLength).toBe(KEPT_BYTES);
  });

  it('is not kept alive by its dead letter: the bytes are a copy', () => {
    const fetched = Buffer.from('{}');
    const { letters } = read(fetched);
    fetched.fill(0);
    expect(Buffer.from(letters[0]?.raw ?? []).toString()).toBe('{}');
  });

  it('is never a row of a table: a format with a header is refused at the start', () => {
    expect(() => read('a,b', NOW_MS, 'csv')).toThrow('format csv cannot be read from Kafka');
  });
});
