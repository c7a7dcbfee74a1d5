import { describe, expect, test } from 'vitest';
import { findAdapter } from '../../../ingest/adapters/index.ts';
import { requirePart } from '../../support/require-part.ts';
import { decisionsOf, OPTIONS, plainRows, readAll, readOne, sharedTrace } from './records.ts';

const TRACE = sharedTrace('vtc/three_policies.csv.gz');
const START_MS = Date.parse('2023-01-01T00:00:00Z');
const ROW = {
  req: '1',
  arrival_s: '0.207938',
  tenant: 't02',
  prompt_tokens: '36',
  output_tokens: '137',
  fcfs_ttft_s: '1.5457',
  fcfs_e2e_s: '6.7736',
  vtc_ttft_s: '1.5676',
  vtc_e2e_s: '6.8102',
  rpm20_ttft_s: '',
  rpm20_e2e_s: '',
};

describe('a row of the VTC trace', () => {
  test('is a served request whose wait is bounded by the time to the first token', () => {
    expect(readOne('vtc', { fields: ROW })).toMatchObject({
      kind: 'decision',
      event: {
        requestId: '1',
        tenant: 't02',
        arrivedAtMs: START_MS + 208,
        dispatchedAtMs: START_MS + 1754,
        completedAtMs: START_MS + 6982,
        outcome: 'admitted',
        status: 'ok',
        inputTokens: 36,
        outputTokens: 137,
        cost: null,
        costEstimate: null,
        waitProvenance: 'bounded',
        tenantProvenance: null,
      },
    });
  });

  test('is refused by its quota where the policy has no times for it', () => {
    expect(readOne('vtc', { fields: ROW }, { options: { policy: 'rpm20' } })).toMatchObject({
      event: {
        outcome: 'rejected',
        reason: 'quota',
        dispatchedAtMs: null,
        completedAtMs: null,
        inputTokens: 36,
        waitProvenance: null,
      },
    });
  });

  test('counts from the start that is given', () => {
    const outcome = readOne('vtc', { fields: ROW }, { options: { start: '2026-03-02T10:00:00Z' } });
    expect(outcome).toMatchObject({ event: { arrivedAtMs: Date.parse('2026-03-02T10:00:00.208Z') } });
  });

  test.each<[Record<string, string>, string, string]>([
    [{ arrival_s: 'soon' }, 'wrong_type', 'no number'],
    [{ arrival_s: '' }, 'missing_field', 'no arrival'],
    [{ fcfs_e2e_s: '' }, 'missing_field', 'half of the times'],
    [{ prompt_tokens: '1.5' }, 'wrong_type', 'half a token'],
    [{ tenant: '' }, 'empty_value', 'no tenant'],
    [{ prompt_tokens: '-1' }, 'out_of_range', 'fewer than no tokens'],
  ])('with %j is refused with %s (%s)', (fields, code) => {
    expect(readOne('vtc', { fields: { ...ROW, ...fields } })).toMatchObject({ kind: 'rejected', code });
  });

  test('without its columns is refused, and a header without them says which', () => {
    expect(readOne('vtc', { fields: { req: '1' } })).toMatchObject({ code: 'wrong_columns' });
    expect(() => findAdapter('vtc').checkHeader?.(['req', 'arrival_s'], OPTIONS)).toThrow(
      expect.objectContaining({
        code: 'EVS_INPUT_FORMAT',
        message: expect.stringContaining('lacks tenant, prompt_tokens'),
      }),
    );
  });

  test('an unknown policy and a wrong start are refused together', () => {
    expect(() => readOne('vtc', {}, { options: { policy: 'edf', start: '17' } })).toThrow(
      expect.objectContaining({
        code: 'EVS_USAGE',
        message: expect.stringMatching(/policy: must be one of fcfs, vtc, rpm20.*start/),
      }),
    );
  });
});

describe('the VTC trace', () => {
  test.for([
    ['fcfs', 5],
    ['vtc', 7],
    ['rpm20', 9],
  ] as const)('under %s holds what the file holds, by an independent reading', async ([policy, column], context) => {
    const path = requirePart(context, TRACE);
    const events = decisionsOf(await readAll('vtc', path, { options: { policy } }));
    const rows = plainRows(path);
    expect(events).toHaveLength(1500);
    expect(new Set(events.map((event) => event.tenant)).size).toBe(27);
    for (const [index, row] of rows.entries()) {
      const event = events[index];
      const isServed = row[column] !== '';
      const arrivalMs = Math.round(Number(row[1]) * 1000);
      expect(event).toMatchObject({
        requestId: row[0],
        tenant: row[2],
        arrivedAtMs: START_MS + arrivalMs,
        outcome: isServed ? 'admitted' : 'rejected',
        inputTokens: Number(row[3]),
        outputTokens: Number(row[4]),
      });
      const waitMs = (event?.dispatchedAtMs ?? Number.NaN) - (event?.arrivedAtMs ?? 0);
      if (isServed) expect(Math.abs(waitMs - Number(row[column]) * 1000)).toBeLessThanOrEqual(1);
      else expect(event?.dispatchedAtMs).toBeNull();
    }
  });
});
