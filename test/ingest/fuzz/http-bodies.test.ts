import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAdapter } from '../../../ingest/adapters/index.ts';
import {
  type BatchWriter,
  createIngestMetrics,
  routeHttpIntake,
  type Submission,
  storeSink,
} from '../../../ingest/index.ts';
import { DAY_MS, MINUTE_MS } from '../../../scheduler-core/kernel/index.ts';
import { testServer } from '../../dashboards/test-server.ts';
import { storedFrame } from '../sources/zstd-encoder.ts';
import { Mutator } from './mutate.ts';
import { INPUTS, Watch } from './watch.ts';

const SEED = 20_260_305;
const NOW_MS = 1_772_446_520_000;

/** Takes what comes and counts it: the store is not what is tried here. */
class CountingWriter implements BatchWriter {
  readonly pendingEvents = 0;
  events = 0;

  async submit({ decisions, pools, coverage, letters }: Submission) {
    const accepted = decisions.length + pools.length + coverage.length;
    this.events += accepted + letters.length;
    return { accepted, duplicate: 0, conflict: 0, skewed: 0 };
  }

  async drain(): Promise<void> {}
}

const writer = new CountingWriter();
let app: FastifyInstance;
beforeAll(async () => {
  app = testServer({ clock: { nowMs: () => NOW_MS } });
  routeHttpIntake(app, {
    sink: storeSink(writer),
    metrics: createIngestMetrics(new Registry()),
    nowMs: () => NOW_MS,
    yieldTurn: async () => undefined,
    maxBodyBytes: 262_144,
    maxFutureMs: 5 * MINUTE_MS,
    latenessMs: 2 * DAY_MS,
  });
  await app.ready();
});
afterAll(() => app.close());

const EVENT = '{"request_id":"r1","tenant":"acme","arrived_at":1772446504127,"dispatched_at":1772446504130}';
const CLOUD_EVENT =
  '{"specversion":"1.0","id":"e","source":"s","type":"t","time":"2026-03-02T10:15:04Z","data":{"tenant":"a"}}';
const SEEDS: readonly (readonly [url: string, type: string, body: string])[] = [
  ['/v1/events', 'application/x-ndjson', `${EVENT}\n${EVENT}\r\n\n${EVENT}`],
  ['/v1/events', 'application/json', `[${EVENT},${EVENT}]`],
  ['/v1/events', 'application/json', EVENT],
  ['/v1/events', 'application/cloudevents+json', CLOUD_EVENT],
  ['/v1/events', 'application/cloudevents-batch+json', `[${CLOUD_EVENT},${CLOUD_EVENT}]`],
  ['/v1/traces', 'application/json', findAdapter('otel-genai').example],
  ['/v1/traces', 'application/json', `{"resourceSpans":[{"scopeSpans":[{"spans":[${findAdapter('vllm').example}]}]}]}`],
];

/** A body as it might come over the wire, and what its header says of it. */
function encoded(mutator: Mutator, text: string): { readonly body: Uint8Array; readonly encoding: string | null } {
  const plain = Buffer.from(text);
  const body = mutator.chance(0.1) ? mutator.bytes(plain) : plain;
  if (mutator.chance(0.7)) return { body, encoding: null };
  const packed = mutator.chance(0.5) ? gzipSync(body) : storedFrame(body);
  const encoding = mutator.pick(['gzip', 'zstd', 'GZIP', 'br', 'identity', '']);
  return { body: mutator.chance(0.3) ? mutator.bytes(packed) : packed, encoding };
}

/** What an intake may say: taken, wrong in a way of the sender, or too much. Never that it failed. */
const STATUSES = [200, 202, 400, 413, 415, 429];

test(`${INPUTS} mutated bodies are taken or refused with a reason (seed ${SEED})`, async () => {
  const mutator = new Mutator(SEED);
  const watch = new Watch();
  for (let input = 0; input < INPUTS; input++) {
    const [url, type, seed] = mutator.pick(SEEDS);
    const { body, encoding } = encoded(mutator, mutator.either(seed));
    const told = () =>
      `seed ${SEED}, input ${input}, ${url} ${type} ${encoding}: ${JSON.stringify(Buffer.from(body).toString())}`;
    const headers = { 'content-type': type, ...(encoding === null ? {} : { 'content-encoding': encoding }) };
    const before = process.cpuUsage();
    const response = await app.inject({ method: 'POST', url, headers, payload: Buffer.from(body) });
    if (!STATUSES.includes(response.statusCode)) expect.fail(`${response.statusCode} ${response.body} for ${told()}`);
    const answer: unknown = JSON.parse(response.body);
    if (typeof answer !== 'object' || answer === null) expect.fail(`${response.body} for ${told()}`);
    watch.checkTime(before, told);
    watch.count(String(response.statusCode));
  }
  expect(writer.events).toBeGreaterThan(INPUTS / 10);
  watch.end(['200', '202', '400', '415']);
});
