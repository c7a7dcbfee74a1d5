import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { knownTable, provenanceTable } from '../../../ingest/adapters/format-table.ts';
import { adapters, findAdapter, KNOWN_COLUMNS, type KnownColumn } from '../../../ingest/adapters/index.ts';
import type { DecisionEvent, Provenance } from '../../../ingest/event/decision-event.ts';
import { requirePart } from '../../support/require-part.ts';
import { readSeveral } from './records.ts';

const DOCS = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8');
const SPECIFICATION = fileURLToPath(new URL('../../../../shared/design/02-events.md', import.meta.url));

/** The cells of each row of a table of Markdown, blanks and padding aside. */
function tableCells(text: string): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('|') && !/^\|[\s|:-]+$/.test(line));
  return rows.map((row) =>
    row
      .slice(1, row.lastIndexOf('|'))
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function section(name: string): string {
  const [, text = ''] = DOCS.split(`<!-- ${name} -->`);
  return text.split(`<!-- /${name} -->`)[0] ?? '';
}

/** The specification's table of gateways, row by row: what each format knows, in its words. */
const SPECIFIED: Readonly<Record<string, readonly string[]>> = {
  envoy: [
    'header or dynamic metadata',
    '`START_TIME`',
    'response flags (RL, RLSE, UO, OM, UT, URX, DC, UAEX) and code details',
    'upper bound: DS_RX_END→US_TX_BEG',
    'US_TX_END→US_RX_END',
    'bytes',
    'attempt count',
  ],
  'envoy-ai-gateway': ['as envoy', 'yes', 'as envoy', 'as envoy', 'yes', 'tokens, configurable names', '–'],
  litellm: [
    'team, key, org or user',
    '`startTime` is call start, not arrival',
    'failure with error class; provider 429 ≠ gateway 429',
    'absent',
    'yes',
    'tokens or spend',
    '`trace_id`',
  ],
  kong: ['consumer', '`started_at` ms', 'status with `source`', 'absent', '`latencies.proxy`', 'tokens', '`tries[]`'],
  'otel-genai': [
    'a configured attribute',
    'span start',
    '`error.type`',
    'absent',
    'yes',
    '`gen_ai.usage.*`',
    'sibling spans',
  ],
  nginx: [
    'mapped',
    '`msec` − `request_time` (`msec` is the log time)',
    '`limit_req_status`, status',
    'DELAYED: `request_time` − Σ upstream',
    'upstream times, comma lists',
    'bytes',
    'comma lists',
  ],
  vllm: ['joined', 'yes', 'absent', '`gen_ai.latency.time_in_queue` (s)', 'yes', 'tokens', 'absent'],
  'k8s-audit': [
    '`user.username`',
    '`requestReceivedTimestamp`',
    '429',
    'annotation, only when total > 500 ms: censored',
    'total − wait',
    'absent',
    'absent',
  ],
};
const DIRECT = ['evenshare', 'cloudevents', 'csv'];
const TRACES = ['azure-llm', 'vtc', 'mooncake', 'swf'];

const saysOf = (name: string): string[] => KNOWN_COLUMNS.map((column) => findAdapter(name).known[column].says);

describe('the table of formats', () => {
  test.each(Object.entries(SPECIFIED))('%s knows what the specification says', (name, cells) => {
    expect(saysOf(name)).toEqual(cells);
  });

  test('events know everything as it is, and the traces are marked', () => {
    for (const name of DIRECT) expect(new Set(saysOf(name))).toEqual(new Set(['direct']));
    expect(
      adapters
        .filter(({ isPublicTrace }) => isPublicTrace === true)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...TRACES].sort());
  });

  test('stands so in the specification', (context) => {
    const find = () => (existsSync(SPECIFICATION) ? SPECIFICATION : null);
    const path = requirePart(context, { name: 'the specification', find, remedy: 'put it at ../shared/design' });
    const rows = tableCells(readFileSync(path, 'utf8').split('## Gateway log adapters')[1] ?? '');
    const named = new Map(
      rows.map(([first = '', ...cells]) => [[...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name), cells]),
    );
    const cellsOf = (name: string) => [...named].find(([names]) => names.includes(name))?.[1];
    for (const [name, cells] of Object.entries(SPECIFIED)) expect(cellsOf(name), name).toEqual(cells);
    for (const name of DIRECT) expect(cellsOf(name), name).toEqual(KNOWN_COLUMNS.map(() => 'direct'));
    for (const name of TRACES) expect(cellsOf(name)?.[0], name).toMatch(/^public traces/);
  });

  test.each([
    ['known', knownTable],
    ['provenance', provenanceTable],
  ])('is the one in docs/formats.md (%s)', (name, make) => {
    const table = make(adapters);
    expect(tableCells(section(name)), `docs/formats.md should have:\n${table}`).toEqual(tableCells(table));
  });
});

/** Decisions of every line of a format's own example. */
function exampleEvents(name: string): DecisionEvent[] {
  const { example, framing } = findAdapter(name);
  const lines = framing === 'lines' ? example.split('\n') : [];
  const read = lines.flatMap((text, index) => readSeveral(name, { text, line: index + 1 }));
  return read.flatMap((outcome) => (outcome.kind === 'decision' ? [outcome.event] : []));
}

const GATEWAYS = Object.keys(SPECIFIED);

describe('what a gateway’s format says of itself is what it does with its example', () => {
  const waitOf = (event: DecisionEvent): Provenance => event.waitProvenance ?? 'measured';

  test.each([
    ['envoy', 'bounded'],
    ['litellm', 'absent'],
    ['kong', 'absent'],
    ['otel-genai', 'absent'],
    ['nginx', 'derived'],
    ['vllm', 'measured'],
    ['apache', 'absent'],
  ] as const)('%s: the wait is %s', (name, provenance) => {
    const [event] = exampleEvents(name);
    if (event === undefined) throw new Error('the example holds no event');
    expect(waitOf(event)).toBe(provenance);
    expect(findAdapter(name).known.wait.provenance).toBe(provenance);
  });

  test.each(GATEWAYS)('%s: no field is there that it calls absent, and none is absent that it measures', (name) => {
    const { provenance, known } = findAdapter(name);
    const [event] = exampleEvents(name);
    const fieldOf: Readonly<Record<string, keyof DecisionEvent>> = {
      arrived_at: 'arrivedAtMs',
      completed_at: 'completedAtMs',
      input_tokens: 'inputTokens',
      output_tokens: 'outputTokens',
      outcome: 'outcome',
      original_request_id: 'originalRequestId',
      cost: 'cost',
    };
    for (const [field, key] of Object.entries(fieldOf)) {
      if ((provenance[field] ?? 'absent') === 'absent') expect(event?.[key], field).toBeNull();
    }
    for (const field of ['arrived_at', 'completed_at', 'input_tokens', 'output_tokens']) {
      const key = fieldOf[field];
      if (provenance[field] === 'measured' && key !== undefined) expect(event?.[key], field).not.toBeNull();
    }
    const columnOf: readonly (readonly [string, KnownColumn])[] = [
      ['tenant', 'tenant'],
      ['arrived_at', 'arrival'],
    ];
    for (const [field, column] of columnOf) expect(known[column].provenance).toBe(provenance[field] ?? 'absent');
  });
});
