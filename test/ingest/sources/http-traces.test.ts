import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defineQuery, type Store } from '../../../analytics/storage/index.ts';
import { DAY_MS, EvenshareError, MINUTE_MS } from '../../../scheduler-core/kernel/index.ts';
import { contentsOf } from '../../support/store-contents.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { storeWith } from '../../support/watched-store.ts';
import {
  emptyStore,
  INTAKE_NOW_MS,
  type IntakeServer,
  type IntakeServerOptions,
  intakeServer,
  storedLetters,
} from './intake-server.ts';
import { storedFrame } from './zstd-encoder.ts';

// What an OpenTelemetry Collector may post, through the real server into the real store.

let temporary: TemporaryStore;
let open: IntakeServer[];
beforeAll(async () => {
  temporary = await temporaryStore();
});
beforeEach(async () => {
  await emptyStore(temporary.store);
  open = [];
});
afterEach(async () => {
  for (const intake of open) await intake.close();
});
afterAll(() => temporary.remove());

async function serve(options: IntakeServerOptions = {}, store: Store = temporary.store): Promise<IntakeServer> {
  const intake = await intakeServer(store, options);
  open.push(intake);
  return intake;
}

type Value = string | number;
const attributesOf = (given: Readonly<Record<string, Value>>) =>
  Object.entries(given).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : Number.isInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
  }));
const ns = (ms: number): string => `${ms}000000`;
const STARTED_MS = INTAKE_NOW_MS - MINUTE_MS;

/** As the collector's otlphttp exporter writes it with `encoding: json`. */
function spanOf(spanId: string, attributes: Readonly<Record<string, Value>>, startedMs = STARTED_MS) {
  return {
    traceId: '5b8aa5a2d2c872e8321cf37308d69df2',
    spanId,
    parentSpanId: '',
    flags: 256,
    name: 'chat gpt',
    kind: 3,
    startTimeUnixNano: ns(startedMs),
    endTimeUnixNano: ns(startedMs + 2_500),
    attributes: attributesOf(attributes),
    status: {},
  };
}
const chat = (spanId: string, more: Readonly<Record<string, Value>> = {}, startedMs = STARTED_MS) =>
  spanOf(
    spanId,
    { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 315, 'tenant.id': 'acme', ...more },
    startedMs,
  );
const engine = (id: string) =>
  spanOf(`00${id}`, { 'gen_ai.request.id': id, 'gen_ai.latency.time_in_queue': 0.31, 'gen_ai.latency.e2e': 2.4 });
const exportOf = (...spans: readonly unknown[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': 'gateway', 'service.instance.id': 'gw-1' }) },
        scopeSpans: [{ scope: { name: 'tracer' }, spans }],
      },
    ],
  });

const STORED = defineQuery<Record<string, never>, readonly unknown[]>({
  name: 'test-spans',
  sql: `SELECT request_id, tenant, pool, input_tokens, dispatched_at_ms, wait_provenance, tenant_provenance
FROM requests FINAL ORDER BY request_id`,
  decode: (row) => [
    row.request_id,
    row.tenant,
    row.pool,
    row.input_tokens === null ? null : Number(row.input_tokens),
    Number(row.dispatched_at_ms) - STARTED_MS,
    row.wait_provenance,
    row.tenant_provenance,
  ],
});
const stored = () => temporary.store.query('reads', STORED, {});

describe('an export of traces', () => {
  const body = exportOf(
    chat('aa'),
    engine('cmpl-1'),
    spanOf('db', { 'db.system': 'postgresql' }),
    chat('agent', { 'gen_ai.operation.name': 'invoke_agent' }),
  );

  test.each([
    ['plain', (text: string) => Buffer.from(text), {}],
    ['gzip', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
    ['zstd', (text: string) => storedFrame(Buffer.from(text)), { 'content-encoding': 'zstd' }],
  ])(
    'is taken, %s: requests of gateways and engines become events, other spans are counted',
    async (_, pack, headers) => {
      const intake = await serve();
      const answer = await intake.postTraces(pack(body), headers);
      expect(answer).toMatchObject({ status: 200, body: {} });
      expect(answer.body).toEqual({});
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await stored()).toEqual([
        ['5b8aa5a2d2c872e8321cf37308d69df2-aa', 'acme', 'default', 315, 0, 'absent', null],
        ['cmpl-1', '-', 'default', null, 310, null, 'absent'],
      ]);
      const metrics = await intake.metrics();
      expect(metrics).toContain('evenshare_ingest_spans_total{use="taken"} 2');
      expect(metrics).toContain('evenshare_ingest_spans_total{use="ignored"} 2');
      expect(metrics).toContain('evenshare_ingest_spans_total{use="rejected"} 0');
    },
  );

  test('sent again changes nothing', async () => {
    const intake = await serve();
    for (let time = 0; time < 3; time++) expect((await intake.postTraces(body)).status).toBe(200);
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 2, requestIds: 2, letters: 0 });
  });

  test('of nothing, or of nothing of ours, is well', async () => {
    const intake = await serve();
    for (const empty of ['{}', '{"resourceSpans":[]}', exportOf(spanOf('db', { 'db.system': 'x' }))]) {
      expect(await intake.postTraces(empty)).toMatchObject({ status: 200, body: {} });
    }
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 0, letters: 0 });
  });

  test('with spans that cannot be read says how many and why; they are kept, each by itself', async () => {
    const intake = await serve();
    const bad = { ...chat('bad'), startTimeUnixNano: 'yesterday' };
    const old = chat('old', {}, INTAKE_NOW_MS - 3 * DAY_MS);
    const twice = exportOf(chat('good'), bad, old);
    for (let time = 0; time < 2; time++) {
      const answer = await intake.postTraces(twice);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        partialSuccess: {
          rejectedSpans: '2',
          errorMessage: expect.stringMatching(/^2 spans are kept.*startTimeUnixNano/),
        },
      });
    }
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 1, letters: 2 });
    const letters = await storedLetters(temporary.store);
    expect(letters.map(({ position, code }) => [position, code])).toEqual([
      [2, expect.stringMatching(/^time_|wrong_type/)],
      [3, 'too_late'],
    ]);
    expect(letters[0]?.raw.toString()).toContain('yesterday');
    expect(letters[0]?.raw.toString()).not.toContain('"good"');
  });

  test('is read by the mapping of its format; a format that is off is ignored', async () => {
    const none = { defaultPool: 'llm-a', tenant: null, options: {}, mapping: { tenant: 'team' } };
    const intake = await serve({ traces: { 'otel-genai': none } });
    await intake.postTraces(exportOf(chat('aa', { team: 'blue' }), engine('cmpl-1')));
    expect(await stored()).toEqual([['5b8aa5a2d2c872e8321cf37308d69df2-aa', 'blue', 'llm-a', 315, 0, 'absent', null]]);
    expect(await intake.metrics()).toContain('evenshare_ingest_spans_total{use="ignored"} 1');
  });

  test('of thousands of spans is taken whole', async () => {
    const spans = Array.from({ length: 2_300 }, (_, index) => chat(`s${index}`));
    const intake = await serve({ maxBodyBytes: 8 * 1024 * 1024 });
    expect((await intake.postTraces(gzipSync(exportOf(...spans)), { 'content-encoding': 'gzip' })).status).toBe(200);
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 2_300, requestIds: 2_300 });
  });
});

describe('an export that is refused is answered with a Status', () => {
  test.each([
    ['no JSON', '{"resourceSpans":[', {}, 400, 3],
    ['no export', '{"resourceSpans":7}', {}, 400, 3],
    ['a list', '[]', {}, 400, 3],
    ['empty', '', {}, 400, 3],
    ['not packed as it says', '{}', { 'content-encoding': 'gzip' }, 400, 3],
    ['packed in another way', '{}', { 'content-encoding': 'br' }, 415, 3],
    ['Protobuf', 'xx', { 'content-type': 'application/x-protobuf' }, 415, 3],
    ['text', 'xx', { 'content-type': 'text/plain' }, 415, 3],
    ['too large', `"${'x'.repeat(70_000)}"`, {}, 413, 8],
  ])('that is %s', async (_, body, headers, status, code) => {
    const answer = await (await serve({ maxBodyBytes: 65_536 })).postTraces(body, headers);
    expect(answer).toMatchObject({ status, body: { code, message: expect.stringMatching(/./) } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 0, letters: 0 });
  });

  test('Protobuf, with how to change that', async () => {
    const answer = await (await serve()).postTraces('xx', { 'content-type': 'application/x-protobuf' });
    expect(answer.body.message).toMatch(/encoding: json/);
  });

  test.each([
    ['busy', new EvenshareError('EVS_BUSY', 'behind', { retryable: true }), 429, 8],
    ['away', new EvenshareError('EVS_STORE_UNREACHABLE', 'away', { retryable: true }), 503, 14],
    ['broken, which OTLP’s clients would take for final as a 500', new Error('secret'), 503, 14],
  ])('that the sender may repeat, while the store is %s', async (_, error, status, code) => {
    let isWell = false;
    const store = storeWith(temporary.store, {
      insert: async (...args) => {
        if (!isWell) throw error;
        await temporary.store.insert(...args);
      },
    });
    const intake = await serve({}, store);
    const refused = await intake.postTraces(exportOf(chat('aa')));
    expect(refused).toMatchObject({ status, body: { code } });
    expect(JSON.stringify(refused.body)).not.toContain('secret');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    isWell = true;
    expect((await intake.postTraces(exportOf(chat('aa')))).status).toBe(200);
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 1 });
  });
});
