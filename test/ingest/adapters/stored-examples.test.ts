import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { defineQuery, type Parameters } from '../../../analytics/storage/index.ts';
import { createBatchWriter, findAdapter, loadFile } from '../../../ingest/index.ts';
import { requirePart } from '../../support/require-part.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { OPTIONS, sharedTrace } from './records.ts';

// What gateways write, as it lies in the shared data, through the loader into the real engine and out again.

let opened: TemporaryStore;
beforeAll(async () => {
  opened = await temporaryStore();
});
afterAll(() => opened.remove());
beforeEach(async () => {
  for (const table of ['requests', 'dead_letters']) await opened.store.command('intake', `TRUNCATE TABLE ${table}`);
});

const STORED = defineQuery<Parameters, unknown[]>({
  name: 'stored',
  sql: `SELECT request_id, tenant, attempt, arrived_at_ms, outcome, reason, dispatched_at_ms - arrived_at_ms AS wait,
    completed_at_ms - dispatched_at_ms AS service, status, input_tokens, output_tokens, wait_provenance, tenant_provenance
    FROM requests FINAL ORDER BY arrived_at_ms, request_id`,
  decode: (row) =>
    Object.values(row).map((value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)),
});

async function load(format: string, path: string) {
  const nowMs = () => Date.UTC(2026, 2, 3);
  return loadFile({
    path,
    stdin: null,
    adapter: findAdapter(format),
    adapterOptions: OPTIONS,
    writer: createBatchWriter(opened.store, { nowMs, maxPendingEvents: 100_000, maxBatchEvents: 20_000 }),
    nowMs,
  });
}

const AT_MS = 1_772_446_507_894;
const EXAMPLES: Readonly<Record<string, readonly [format: string, ...rows: unknown[][]]>> = {
  'envoy.jsonl': [
    'envoy',
    [
      '7c1e6d6e-0f3a-4d0e-9a52-8f3f6f5d2c11',
      'acme',
      1,
      1_772_446_504_127,
      'rejected',
      'quota',
      null,
      null,
      null,
      null,
      null,
      null,
      null,
    ],
    [
      '9b2f4b0a-55b0-4a7d-8e8e-3c9a9f0f6a20',
      'globex',
      2,
      1_772_446_504_301,
      'admitted',
      null,
      38,
      143,
      'ok',
      null,
      null,
      'bounded',
      null,
    ],
  ],
  'envoy-ai-gateway.jsonl': [
    'envoy-ai-gateway',
    [
      '83b63da3-45a9-4196-98b8-1a7f697d6d8d',
      'acme',
      1,
      AT_MS,
      'admitted',
      null,
      0,
      6526,
      'ok',
      315,
      207,
      'absent',
      null,
    ],
  ],
  'litellm.jsonl': [
    'litellm',
    ['chatcmpl-91', 'team-acme', 1, AT_MS, 'admitted', null, 0, 6526, 'ok', 315, 207, 'absent', null],
    ['req-92', 'team-globex', 1, 1_772_446_509_100, 'rejected', 'quota', null, null, null, 0, 0, null, null],
  ],
  'kong.jsonl': [
    'kong',
    ['9ec9', 'acme', 2, AT_MS, 'admitted', null, 3, 2340, 'ok', 315, 207, 'absent', null],
    ['9eca', 'globex', 1, 1_772_446_509_100, 'rejected', 'quota', null, null, null, null, null, null, null],
  ],
  'otel-genai.jsonl': [
    'otel-genai',
    [
      '5b8aa5a2d2c872e8321cf37308d69df2-5fb397be34d26b51',
      'acme',
      1,
      AT_MS,
      'admitted',
      null,
      0,
      6526,
      'ok',
      315,
      207,
      'absent',
      null,
    ],
  ],
  'nginx.jsonl': [
    'nginx',
    ['a8f3', 'acme', 2, AT_MS - 184, 'admitted', null, 25, 159, 'ok', null, null, 'derived', null],
    ['a8f4', 'globex', 1, 1_772_446_509_100, 'rejected', 'quota', null, null, null, null, null, null, null],
  ],
  'vllm-otel-span.jsonl': ['vllm', ['cmpl-91', '-', 1, AT_MS, null, null, 310, 6216, null, 315, 207, null, 'absent']],
  'k8s-apf.jsonl': [
    'k8s-audit',
    [
      '36cfcbe3-d76a-4a4d-b251-47cc2df060cb',
      'system:serviceaccount:team-a:bot',
      1,
      AT_MS,
      'admitted',
      null,
      610,
      216,
      'ok',
      null,
      null,
      null,
      null,
    ],
  ],
};

test.for(Object.entries(EXAMPLES))(
  '%s becomes the requests that it tells of',
  async ([file, [format, ...rows]], context) => {
    const path = requirePart(context, sharedTrace(`format-examples/${file}`));
    const report = await load(format, path);
    expect(report).toMatchObject({ accepted: rows.length, conflict: 0, skewed: 0, rejected: {} });
    expect(await opened.store.query('reads', STORED, {})).toEqual(rows);
    const again = await load(format, path);
    expect(again).toMatchObject({ accepted: rows.length, duplicate: rows.length });
  },
);

test.for([
  ['apache', 'apache/apache_logs_10k.log.gz', 10_000],
  ['mooncake', 'mooncake/synthetic_trace.jsonl.gz', 3_993],
] as const)(
  'the %s trace is loaded whole, and a second time finds it all there',
  async ([format, trace, count], context) => {
    const path = requirePart(context, sharedTrace(trace));
    expect(await load(format, path)).toMatchObject({ accepted: count, duplicate: 0, conflict: 0, rejected: {} });
    expect(await load(format, path)).toMatchObject({ accepted: count, duplicate: count, conflict: 0 });
    expect(await opened.store.query('reads', STORED, {})).toHaveLength(count);
  },
);
