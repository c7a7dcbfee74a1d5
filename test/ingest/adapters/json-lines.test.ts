import { describe, expect, test } from 'vitest';
import { readOne } from './records.ts';

const LINE = '{"request_id":"r1","tenant":"acme","arrived_at":1772446504127}';
const CLOUD =
  '{"specversion":"1.0","id":"e1","source":"gw","type":"t","time":"2026-03-02T10:15:04.127Z","data":{"tenant":"acme"}}';

describe('evenshare', () => {
  test('reads events, also inside CloudEvents, into the pool of the log', () => {
    const options = { defaultPool: 'llm-a' };
    expect(readOne('evenshare', { text: LINE }, options)).toMatchObject({ kind: 'decision', event: { pool: 'llm-a' } });
    expect(readOne('evenshare', { text: CLOUD }, options)).toMatchObject({
      kind: 'decision',
      event: { requestId: 'e1' },
    });
  });

  test('a tenant for the log stands in where a record has none', () => {
    const text = LINE.replace('"tenant":"acme",', '');
    expect(readOne('evenshare', { text })).toMatchObject({ code: 'missing_field' });
    expect(readOne('evenshare', { text }, { tenant: 'all' })).toMatchObject({
      event: { tenant: 'all', tenantProvenance: 'derived' },
    });
  });

  test('a line cut off at the end of the file is torn', () => {
    expect(readOne('evenshare', { text: LINE.slice(0, 30), isUnterminated: true })).toMatchObject({
      code: 'torn_line',
    });
    expect(readOne('evenshare', { text: LINE.slice(0, 30) })).toMatchObject({ code: 'not_json' });
    expect(readOne('evenshare', { text: LINE, isUnterminated: true })).toMatchObject({ kind: 'decision' });
  });
});

describe('cloudevents', () => {
  test('reads envelopes and refuses plain events, naming the format to use', () => {
    expect(readOne('cloudevents', { text: CLOUD })).toMatchObject({ kind: 'decision', event: { gateway: 'gw' } });
    expect(readOne('cloudevents', { text: LINE })).toMatchObject({
      code: 'missing_field',
      detail: expect.stringMatching(/^specversion .*--format evenshare/),
    });
    expect(readOne('cloudevents', { text: CLOUD.slice(0, 30), isUnterminated: true })).toMatchObject({
      code: 'torn_line',
    });
    expect(readOne('cloudevents', { text: ' ' })).toEqual({ kind: 'skip' });
  });
});
