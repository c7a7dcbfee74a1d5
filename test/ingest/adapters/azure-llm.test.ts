import { describe, expect, test } from 'vitest';
import { findAdapter } from '../../../ingest/adapters/index.ts';
import { requirePart } from '../../support/require-part.ts';
import { decisionsOf, OPTIONS, plainRows, readAll, readOne, sharedTrace } from './records.ts';

const TRACE = sharedTrace('azure-llm-2023/AzureLLMInferenceTrace_conv.csv.gz');
const ROW = { TIMESTAMP: '2023-11-16 18:15:46.6805900', ContextTokens: '374', GeneratedTokens: '44' };

describe('a row of the Azure trace', () => {
  test('is an arrival with tokens, without tenant and wait', () => {
    expect(readOne('azure-llm', { fields: ROW, line: 2 })).toMatchObject({
      kind: 'decision',
      event: {
        requestId: 'line-2',
        tenant: '-',
        tenantProvenance: 'absent',
        waitProvenance: 'absent',
        arrivedAtMs: Date.parse('2023-11-16T18:15:46.680Z'),
        dispatchedAtMs: null,
        completedAtMs: null,
        inputTokens: 374,
        outputTokens: 44,
      },
    });
  });

  test('belongs to the tenant that is given for the log', () => {
    expect(readOne('azure-llm', { fields: ROW }, { tenant: 'acme' })).toMatchObject({
      event: { tenant: 'acme', tenantProvenance: 'derived' },
    });
  });

  test('may name a zone', () => {
    const fields = { ...ROW, TIMESTAMP: '2024-05-10 00:00:00.009930+02:00' };
    expect(readOne('azure-llm', { fields })).toMatchObject({
      event: { arrivedAtMs: Date.parse('2024-05-09T22:00:00.009Z') },
    });
  });

  test.each<[Record<string, string>, string]>([
    [{ TIMESTAMP: '16/11/2023 18:15' }, 'time_format'],
    [{ TIMESTAMP: '2023-02-30 18:15:46' }, 'time_format'],
    [{ TIMESTAMP: '' }, 'missing_field'],
    [{ ContextTokens: 'many' }, 'wrong_type'],
  ])('with %j is refused with %s', (fields, code) => {
    expect(readOne('azure-llm', { fields: { ...ROW, ...fields } })).toMatchObject({ code });
  });

  test('needs its columns', () => {
    expect(readOne('azure-llm', { fields: { time: 'x' } })).toMatchObject({ code: 'wrong_columns' });
    expect(() => findAdapter('azure-llm').checkHeader?.(['time'], OPTIONS)).toThrow(
      expect.objectContaining({
        code: 'EVS_INPUT_FORMAT',
        message: expect.stringContaining('TIMESTAMP, ContextTokens'),
      }),
    );
  });

  test('the whole trace is read, by an independent reading', async (context) => {
    const path = requirePart(context, TRACE);
    const events = decisionsOf(await readAll('azure-llm', path));
    const rows = plainRows(path);
    expect(events).toHaveLength(19_366);
    const sum = (column: number): number => rows.reduce((total, row) => total + Number(row[column]), 0);
    expect(events.reduce((total, event) => total + (event.inputTokens ?? 0), 0)).toBe(sum(1));
    expect(events.reduce((total, event) => total + (event.outputTokens ?? 0), 0)).toBe(sum(2));
    expect(events.map((event) => event.arrivedAtMs)).toEqual(
      rows.map((row) => Date.parse(`${row[0]?.slice(0, 23).replace(' ', 'T')}Z`)),
    );
    expect(new Set(events.map((event) => event.requestId)).size).toBe(events.length);
  });
});
