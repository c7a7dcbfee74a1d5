import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { requirePart } from '../../support/require-part.ts';
import { decisionsOf, readAll, readOne, sharedTrace } from './records.ts';

const LINE = '10.1.2.3 - acme [02/Mar/2026:10:15:07 +0100] "GET /a?b=\\"c\\" HTTP/1.1" 200 2211 "-" "sdk/1.0"';
const read = (text: string, options = {}) => readOne('apache', { text }, options);

test('a line is an arrival of a user, without waits', () => {
  expect(read(LINE)).toMatchObject({
    kind: 'decision',
    event: {
      tenant: 'acme',
      tenantProvenance: null,
      arrivedAtMs: Date.parse('2026-03-02T09:15:07Z'),
      outcome: 'admitted',
      status: 'ok',
      dispatchedAtMs: null,
      completedAtMs: null,
      waitProvenance: 'absent',
      cost: null,
    },
  });
});

test.each([
  [LINE.replace('acme', '-'), {}, '-', 'absent'],
  [LINE.replace('acme', '-'), { tenant: 'web' }, 'web', 'derived'],
  [LINE.replace('acme', 'John Doe'), {}, 'John Doe', null],
  [LINE.replace('acme', 'a [b] c'), {}, 'a [b] c', null],
  [LINE, { mapping: { tenant: 'host' } }, '10.1.2.3', null],
])('%s with %j is of tenant %s (%s)', (text, options, tenant, provenance) => {
  expect(read(text, options)).toMatchObject({ event: { tenant, tenantProvenance: provenance } });
});

test.each([
  ['429', { outcome: 'rejected', reason: 'quota', status: null }],
  ['503', { outcome: 'admitted', status: 'error' }],
  ['408', { outcome: 'admitted', status: 'timeout' }],
])('status %s is %j', (status, expected) => {
  expect(read(LINE.replace(' 200 ', ` ${status} `))).toMatchObject({ event: expected });
});

test('bytes are a cost where the mapping says so; a dash is none', () => {
  const options = { mapping: { cost: 'bytes' } };
  expect(read(LINE, options)).toMatchObject({ event: { cost: 2211 } });
  expect(read(LINE.replace(' 2211 ', ' - '), options)).toMatchObject({ event: { cost: 0 } });
});

test('equal lines are two requests, the same line read again is one', () => {
  const id = (line: number) => {
    const outcome = readOne('apache', { text: LINE, line });
    return outcome.kind === 'decision' ? outcome.event.requestId : '';
  };
  expect(id(1)).not.toBe(id(2));
  expect(id(7)).toBe(id(7));
});

describe('a line that is none', () => {
  test.each([
    ['', 'skip'],
    ['hello', 'rejected'],
    ['{"a":1}', 'rejected'],
    [LINE.slice(0, 40), 'rejected'],
    [LINE.replace('Mar', 'Mrz'), 'rejected'],
    [LINE.replace('" 200', ' 200'), 'rejected'],
    [LINE.replace('02/Mar', '31/Feb'), 'rejected'],
  ])('%j: %s', (text, kind) => {
    expect(read(text).kind).toBe(kind);
  });

  test('a megabyte of brackets is refused as fast as it is read', () => {
    const text = `h - ${' ['.repeat(500_000)}`;
    expect(read(text)).toMatchObject({ kind: 'rejected', code: 'wrong_columns' });
  });

  test('the last line may be torn', () => {
    const text = LINE.slice(0, 60);
    expect(readOne('apache', { text, isUnterminated: true })).toMatchObject({ code: 'torn_line' });
  });
});

test('the whole trace is read, by an independent reading', async (context) => {
  const path = requirePart(context, sharedTrace('apache/apache_logs_10k.log.gz'));
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
  const events = decisionsOf(await readAll('apache', path, { mapping: { tenant: 'host' } }));
  expect(events).toHaveLength(10_000);
  expect(new Set(events.map(({ requestId }) => requestId)).size).toBe(10_000);
  expect(new Set(events.map(({ tenant }) => tenant)).size).toBe(1_753);
  for (const [index, line] of lines.entries()) {
    const [date = '', time = ''] = (line.split('[')[1] ?? '').split(/:(.*)/s);
    const [day, month, year] = date.split('/');
    const atMs = Date.parse(`${day} ${month} ${year} ${time.slice(0, 14)}`);
    expect(events[index]).toMatchObject({ tenant: line.split(' ')[0], arrivedAtMs: atMs });
  }
});
