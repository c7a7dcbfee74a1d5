import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { eachOutcome, findAdapter } from '../../../ingest/adapters/index.ts';
import type { RecordOutcome } from '../../../ingest/event/decision-event.ts';
import { requirePart } from '../../support/require-part.ts';
import { decisionsOf, OPTIONS, readAll, readOne, sharedTrace } from './records.ts';

const TRACE = sharedTrace('swf/hpc2n_slice.swf.gz');
const START = '2002-07-28T07:04:05Z';
const START_MS = Date.parse(START);

/** Job, submit, wait, run, allocated, requested, status, user. */
type Job = readonly [number, number, number, number, number, number, number, number];
const line = ([job, submit, wait, run, allocated, requested, status, user]: Job): string =>
  `  ${job} ${submit} ${wait} ${run} ${allocated} 552.21 -1 ${requested} 900 -1 ${status} ${user} 1 -1 -1 1 -1 -1`;
const readJob = (job: Job, tenant: string | null = null): RecordOutcome =>
  readOne('swf', { text: line(job) }, { options: { start: START }, tenant });

describe('a job', () => {
  test('is a request of its user that holds processors while it runs', () => {
    expect(readJob([12, 100, 5, 553, 40, 30, 1, 7])).toMatchObject({
      kind: 'decision',
      event: {
        requestId: '12',
        tenant: '7',
        arrivedAtMs: START_MS + 100_000,
        dispatchedAtMs: START_MS + 105_000,
        completedAtMs: START_MS + 658_000,
        status: 'ok',
        slots: 40,
        cost: null,
        waitProvenance: null,
        tenantProvenance: null,
      },
    });
  });

  test.each<[Job, Record<string, unknown>, string]>([
    [[1, 0, 5, 10, -1, 30, 1, 7], { slots: 30 }, 'allocated unknown: the processors requested'],
    [[1, 0, 5, 10, 0, 30, 1, 7], { slots: 30 }, 'none allocated: the processors requested'],
    [[1, 0, 5, 10, -1, -1, 1, 7], { slots: null }, 'neither known'],
    [[1, 0, 5, 10, 1, 1, 0, 7], { status: 'error', completedAtMs: START_MS + 15_000 }, 'failed'],
    [[1, 0, 5, 10, 1, 1, 3, 7], { status: 'ok' }, 'last part of a checkpointed job'],
    [[1, 0, 5, 10, 1, 1, 4, 7], { status: 'error' }, 'last part, failed'],
    [[1, 0, 5, 10, 1, 1, 5, 7], { status: 'cancelled', dispatchedAtMs: START_MS + 5000 }, 'cancelled while running'],
    [
      [1, 0, 5, 0, 1, 1, 5, 7],
      { status: 'cancelled', dispatchedAtMs: null, completedAtMs: START_MS + 5000 },
      'gave up',
    ],
    [
      [1, 0, 5, -1, 1, 1, 5, 7],
      { status: 'cancelled', dispatchedAtMs: null, completedAtMs: START_MS + 5000 },
      'gave up',
    ],
    [[1, 0, 5, -1, 1, 1, -1, 7], { status: null, dispatchedAtMs: START_MS + 5000, completedAtMs: null }, 'end unknown'],
    [
      [1, 0, -1, 10, 1, 1, 1, 7],
      { dispatchedAtMs: null, completedAtMs: null, waitProvenance: 'absent' },
      'wait unknown',
    ],
    [[1, 0, 5, 10, 1, 1, 1, -1], { tenant: '-', tenantProvenance: 'absent' }, 'user unknown'],
  ])('%j is %j (%s)', (job, expected) => expect(readJob(job)).toMatchObject({ event: expected }));

  test('of an unknown user belongs to the tenant that is given', () => {
    expect(readJob([1, 0, 5, 10, 1, 1, 1, -1], 'all')).toMatchObject({
      event: { tenant: 'all', tenantProvenance: 'derived' },
    });
  });

  test.each(['1 2 3', `${line([1, 0, 5, 10, 1, 1, 1, 7])}x`, '{"request_id":"r1"}'])('%j is refused', (text) => {
    expect(readOne('swf', { text }, { options: { start: START } })).toMatchObject({ code: 'wrong_columns' });
    expect(readOne('swf', { text, isUnterminated: true })).toMatchObject({ code: 'torn_line' });
  });
});

describe('the header', () => {
  const read = (texts: readonly string[], start: string | null = null): readonly RecordOutcome[] => {
    const adapter = findAdapter('swf').open({ ...OPTIONS, options: start === null ? {} : { start } });
    return texts.flatMap((text, index) => eachOutcome(adapter({ text, fields: null, line: index + 1 })));
  };
  const job = line([1, 10, 5, 10, 1, 1, 1, 7]);

  test('gives the date of second 0, before the option', () => {
    const outcomes = read(['; Version: 2.2', ';', '; UnixStartTime: 1027839845', job], '2020-01-01T00:00:00Z');
    expect(outcomes.slice(0, 3)).toEqual([{ kind: 'skip' }, { kind: 'skip' }, { kind: 'skip' }]);
    expect(outcomes[3]).toMatchObject({ event: { arrivedAtMs: START_MS + 10_000 } });
  });

  test.each(['; UnixStartTime: 0', '; UnixStartTime: -1', '; UnixStartTime:', '; Note: UnixStartTime: 1027839845'])(
    '%j gives none: the option does, and without it the job is refused',
    (header) => {
      expect(read([header, job], START)[1]).toMatchObject({ event: { arrivedAtMs: START_MS + 10_000 } });
      expect(read([header, job])[1]).toMatchObject({
        code: 'missing_field',
        detail: expect.stringContaining('--option start'),
      });
    },
  );
});

test('the HPC2N slice is read, by an independent reading', async (context) => {
  const path = requirePart(context, TRACE);
  const outcomes = await readAll('swf', path);
  expect(outcomes.filter((outcome) => outcome.kind === 'rejected')).toEqual([]);
  const events = decisionsOf(outcomes);
  const text = gunzipSync(readFileSync(path)).toString('utf8');
  const rows = [...text.matchAll(/^\s*\d.*$/gm)].map((match) => match[0].trim().split(/\s+/).map(Number));
  expect(events).toHaveLength(3170);
  expect(new Set(events.map((event) => event.tenant)).size).toBe(17);
  expect(events.map((event) => (event.arrivedAtMs - START_MS) / 1000)).toEqual(rows.map((row) => row[1]));
  expect(events.map((event) => ((event.dispatchedAtMs ?? 0) - event.arrivedAtMs) / 1000)).toEqual(
    rows.map((row) => row[2]),
  );
  expect(events.filter((event) => event.completedAtMs === null)).toHaveLength(
    rows.filter((row) => row[3] === -1).length,
  );
});
