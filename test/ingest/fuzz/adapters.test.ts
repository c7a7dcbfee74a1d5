import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type AdapterOptions, adapters, rawBytes } from '../../../ingest/adapters/index.ts';
import { reject } from '../../../ingest/event/decision-event.ts';
import { CsvFramer } from '../../../ingest/sources/csv-framing.ts';
import { LineFramer } from '../../../ingest/sources/line-framing.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { OPTIONS } from '../adapters/records.ts';
import { Mutator } from './mutate.ts';
import { INPUTS, Watch } from './watch.ts';

const SEED = 20_260_303;
const PER_FORMAT = Math.ceil(INPUTS / adapters.length);
const EXAMPLES = fileURLToPath(new URL('../../../../shared/data/format-examples/', import.meta.url));

/** Lines of real formats to begin with; none where the shared data is absent. */
function sharedLines(): string[] {
  try {
    return readdirSync(EXAMPLES).flatMap((file) =>
      readFileSync(EXAMPLES + file, 'utf8')
        .trim()
        .split('\n'),
    );
  } catch {
    return [];
  }
}

const SHARED = sharedLines();

/** What the framing of a format makes of a text, read by an adapter that was just opened. */
function readText(watch: Watch, name: string, text: string, options: AdapterOptions): void {
  const adapter = adapters.find((one) => one.name === name);
  if (adapter === undefined) throw new Error(name);
  const read = adapter.open(options);
  const told = () => `seed ${SEED}, format ${name}: ${JSON.stringify(text.slice(0, 2_000))}`;
  const framer =
    adapter.framing === 'lines'
      ? new LineFramer({ isVerbatim: false })
      : new CsvFramer({
          delimiter: adapter.csvDelimiter?.(options) ?? ',',
          onHeader: (columns) => adapter.checkHeader?.(columns, options),
          where: 'the input',
        });
  const take = (batch: ReturnType<LineFramer['end']>): void => {
    for (const framed of batch) {
      if (framed.kind === 'refused') watch.checkOutcome(reject(framed.code, framed.detail), told);
      else {
        expect(rawBytes(framed.record).length).toBeGreaterThanOrEqual(0);
        watch.checkOutcome(
          watch.run(told, () => read(framed.record)),
          told,
        );
      }
    }
  };
  try {
    for (const batch of framer.push(Buffer.from(text))) take(batch);
    take(framer.end());
  } catch (error) {
    // A header without its columns refuses the file: that is a reason too.
    if (!(error instanceof EvenshareError && error.code === 'EVS_INPUT_FORMAT')) throw error;
    watch.count('header');
  }
}

describe(`${INPUTS} mutated inputs of all formats (seed ${SEED})`, () => {
  test.each(adapters.map((adapter, index) => [adapter.name, adapter, index] as const))(
    `%s: each is an event or has a reason`,
    (name, adapter, index) => {
      const mutator = new Mutator(SEED + index);
      const watch = new Watch();
      const own = adapter.framing === 'lines' ? [adapter.example, ...adapter.example.split('\n')] : [adapter.example];
      const seeds = adapter.framing === 'lines' ? [...own, ...own, ...SHARED] : own;
      for (let input = 0; input < PER_FORMAT; input++) {
        readText(watch, name, mutator.either(mutator.pick(seeds)), OPTIONS);
      }
      watch.end(['decision']);
    },
  );
});

/** A line of a megabyte that would take a parser long that looks at it more than once or twice. */
const MEGABYTE = 1_000_000;
const LONG: readonly (readonly [why: string, text: string])[] = [
  ['one list', `[${'1,'.repeat(MEGABYTE / 2 - 1)}1]`],
  ['lists in lists', '['.repeat(MEGABYTE)],
  ['objects in lists', `[${'{},'.repeat(MEGABYTE / 3 - 1)}{}]`],
  ['a long text', JSON.stringify({ msec: '9'.repeat(MEGABYTE), start_time: 'x'.repeat(100) })],
  ['a list of upstreams', JSON.stringify({ msec: 1, request_time: 1, upstream_response_time: ','.repeat(MEGABYTE) })],
  ['flags', JSON.stringify({ start_time: 1772446507894, response_flags: 'UT,'.repeat(MEGABYTE / 3) })],
  ['many keys', `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":${index}`).join(',')}}`],
  ['spans', `{"resourceSpans":[{"scopeSpans":[{"spans":[${'{},'.repeat(300_000)}{}]}]}]}`],
  ['empty groups', `{"resourceSpans":[${'{"scopeSpans":[]},'.repeat(50_000)}{}]}`],
  [
    'attributes',
    `{"name":"x","attributes":[${'{"key":"gen_ai.request.id","value":{"stringValue":"x"}},'.repeat(17_000)}{}]}`,
  ],
  [
    'a resource of many attributes and spans',
    `{"resourceSpans":[{"resource":{"attributes":[${'{"key":"a","value":{"stringValue":"x"}},'.repeat(12_000)}{}]},"scopeSpans":[{"spans":[${'{"attributes":{"gen_ai.request.id":"x","gen_ai.request.model":1}},'.repeat(7_000)}{}]}]}]}`,
  ],
  [
    'a resource of one long attribute and spans that are refused',
    `{"resourceSpans":[{"resource":{"attributes":{"a":"${'x'.repeat(500_000)}"}},"scopeSpans":[{"spans":[${'{"attributes":{"gen_ai.request.id":"x","gen_ai.request.model":1}},'.repeat(7_000)}{}]}]}]}`,
  ],
  ['brackets', `h - ${' ['.repeat(MEGABYTE / 2)}`],
  ['quotes', `h - u [02/Mar/2026:10:15:07 +0000] "${'\\"'.repeat(MEGABYTE / 2)}`],
  ['blanks', `${' '.repeat(MEGABYTE)}x`],
  ['numbers', '1 '.repeat(MEGABYTE / 2)],
  ['digits', '1'.repeat(MEGABYTE)],
  ['cells', ','.repeat(MEGABYTE)],
];

describe('lines of a megabyte take no more than their share of time', () => {
  test.each(adapters.map((adapter) => adapter.name))('%s', (name) => {
    const watch = new Watch();
    const adapter = adapters.find((one) => one.name === name);
    const header = adapter?.framing === 'csv' ? `${adapter.example.split('\n')[0]}\n` : '';
    for (const [why, text] of LONG) {
      watch.run(
        () => `${name}: ${why}`,
        () => readText(watch, name, header + text, OPTIONS),
      );
    }
    watch.end([]);
  });

  test('with every label kept', () => {
    const watch = new Watch();
    for (const [why, text] of LONG) {
      const options = { ...OPTIONS, mapping: { labels: 'all', tenant: 'a.b.c.d.e.f.g.h.i' } };
      watch.run(
        () => why,
        () => readText(watch, 'envoy', text, options),
      );
    }
    watch.end([]);
  });
});
