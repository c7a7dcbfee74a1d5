import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { requirePart } from '../../support/require-part.ts';
import { decisionsOf, readAll, readOne, sharedTrace } from './records.ts';

const LINE = '{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}';
const START_MS = Date.parse('2024-01-01T00:00:00Z');

test('a line is an arrival with tokens, in milliseconds from the start', () => {
  expect(readOne('mooncake', { text: LINE, line: 9 })).toMatchObject({
    kind: 'decision',
    event: {
      requestId: 'line-9',
      tenant: '-',
      tenantProvenance: 'absent',
      waitProvenance: 'absent',
      arrivedAtMs: START_MS + 27_482,
      inputTokens: 6955,
      outputTokens: 52,
      labels: null,
    },
  });
  const moved = { options: { start: '2026-03-02T10:00:00Z' }, tenant: 'all' };
  expect(readOne('mooncake', { text: LINE }, moved)).toMatchObject({
    event: { arrivedAtMs: Date.parse('2026-03-02T10:00:27.482Z'), tenant: 'all', tenantProvenance: 'derived' },
  });
});

test.each([
  ['{"input_length": 1}', 'missing_field'],
  ['{"timestamp": "0"}', 'wrong_type'],
  ['{"timestamp": -1}', 'out_of_range'],
  ['{"timestamp": 1772446507894}', 'out_of_range'],
  ['{"timestamp": 0, "input_length": 1.5}', 'wrong_type'],
  ['[]', 'not_object'],
])('%s is refused: %s', (text, code) => {
  expect(readOne('mooncake', { text })).toMatchObject({ kind: 'rejected', code });
});

test('the whole trace is read, by an independent reading', async (context) => {
  const path = requirePart(context, sharedTrace('mooncake/synthetic_trace.jsonl.gz'));
  const rows: { timestamp: number; input_length: number; output_length: number }[] = gunzipSync(readFileSync(path))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const events = decisionsOf(await readAll('mooncake', path));
  expect(events).toHaveLength(3_993);
  expect(events.map(({ arrivedAtMs, inputTokens, outputTokens }) => [arrivedAtMs, inputTokens, outputTokens])).toEqual(
    rows.map((row) => [START_MS + row.timestamp, row.input_length, row.output_length]),
  );
});
