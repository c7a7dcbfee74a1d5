import { describe, expect, test } from 'vitest';
import { adapters, eachOutcome, findAdapter, type RawRecord } from '../../../ingest/adapters/index.ts';
import { PROVENANCES, type RecordOutcome } from '../../../ingest/event/decision-event.ts';
import { DECISION_FIELDS } from '../../../ingest/event/event-fields.ts';
import { csvCells } from '../../../ingest/sources/csv-cells.ts';
import { OPTIONS, readOne } from './records.ts';

/** The records of an adapter's own example. */
function exampleRecords(example: string, framing: 'lines' | 'csv'): RawRecord[] {
  const [header = '', ...rest] = example.split('\n');
  if (framing === 'lines') return [header, ...rest].map((text, index) => ({ text, fields: null, line: index + 1 }));
  const columns = csvCells(header, ',') ?? [];
  return rest.map((text, index) => {
    const cells = csvCells(text, ',') ?? [];
    return {
      text,
      fields: Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])),
      line: index + 2,
    };
  });
}

describe('the list of formats', () => {
  test('has each name once', () => {
    const names = adapters.map((adapter) => adapter.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['evenshare', 'cloudevents', 'csv', 'vtc', 'azure-llm', 'swf']));
  });

  test('an unknown name is refused with those that exist', () => {
    expect(() => findAdapter('haproxy')).toThrow(
      expect.objectContaining({
        code: 'EVS_USAGE',
        message: expect.stringMatching(/"haproxy".*evenshare, cloudevents, csv/),
      }),
    );
    expect(findAdapter('swf').name).toBe('swf');
  });

  test.each(adapters.map((adapter) => [adapter.name, adapter] as const))('%s reads its own example', (_, adapter) => {
    const read = adapter.open(OPTIONS);
    const outcomes: RecordOutcome[] = exampleRecords(adapter.example, adapter.framing).flatMap((record) =>
      eachOutcome(read(record)),
    );
    expect(outcomes.at(-1)).toMatchObject({ kind: 'decision' });
    expect(outcomes.filter((outcome) => outcome.kind === 'rejected')).toEqual([]);
  });

  test.each(adapters.map((adapter) => [adapter.name, adapter] as const))(
    '%s says how it knows each field',
    (_, adapter) => {
      for (const [field, provenance] of Object.entries(adapter.provenance)) {
        expect(DECISION_FIELDS).toContain(field);
        expect(PROVENANCES).toContain(provenance);
      }
      expect(adapter.provenance).toHaveProperty('arrived_at');
    },
  );

  test.each(adapters.map((adapter) => adapter.name))(
    '%s refuses options that it does not read, all at once',
    (name) => {
      const wrong = { options: { nonsense: '1', other: '2' }, tenant: 'a\nb', defaultPool: '' };
      expect(() => readOne(name, {}, wrong)).toThrow(
        expect.objectContaining({
          code: 'EVS_USAGE',
          message: expect.stringMatching(/--format .*--pool.*nonsense.*other/),
        }),
      );
    },
  );

  test.each(['evenshare', 'cloudevents', 'vtc', 'azure-llm', 'mooncake', 'swf'])('%s takes no mapping', (name) => {
    expect(() => readOne(name, {}, { mapping: {} })).toThrow(expect.objectContaining({ code: 'EVS_USAGE' }));
  });
});
