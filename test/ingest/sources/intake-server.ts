import { Registry } from 'prom-client';
import { defineQuery, type Store } from '../../../analytics/storage/index.ts';
import type { AccessToken } from '../../../dashboards/index.ts';
import {
  createBatchWriter,
  createIngestMetrics,
  type EventSink,
  routeHttpIntake,
  storeSink,
  type TraceFormats,
} from '../../../ingest/index.ts';
import { DAY_MS, MINUTE_MS } from '../../../scheduler-core/kernel/index.ts';
import { testServer } from '../../dashboards/test-server.ts';

export const INTAKE_NOW_MS = Date.parse('2026-11-01T11:00:07.000Z');

export interface IntakeServerOptions {
  readonly tokens?: readonly AccessToken[];
  readonly maxBodyBytes?: number;
  readonly maxPendingEvents?: number;
  readonly maxHeldBytes?: number;
  readonly traces?: TraceFormats;
  /** Default: the store. */
  readonly sink?: EventSink;
}

export interface IntakeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface IntakeServer {
  readonly url: string;
  /** Posts to `/v1/events`, as NDJSON unless the headers say otherwise. */
  post(body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<IntakeAnswer>;
  /** The same to `/v1/traces`, as JSON. */
  postTraces(body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<IntakeAnswer>;
  /** The counters, as `/metrics` would show them. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** The intake over a store, under the guards of the whole server, on a loopback port, at `INTAKE_NOW_MS`. */
export async function intakeServer(store: Store, options: IntakeServerOptions = {}): Promise<IntakeServer> {
  const app = testServer({ tokens: options.tokens ?? [], clock: { nowMs: () => INTAKE_NOW_MS } });
  const registry = new Registry();
  const nowMs = () => INTAKE_NOW_MS;
  const maxPendingEvents = options.maxPendingEvents ?? 100_000;
  routeHttpIntake(app, {
    sink: options.sink ?? storeSink(createBatchWriter(store, { nowMs, maxPendingEvents, maxBatchEvents: 20_000 })),
    metrics: createIngestMetrics(registry),
    nowMs,
    yieldTurn: async () => undefined,
    maxBodyBytes: options.maxBodyBytes ?? 1_048_576,
    maxFutureMs: 5 * MINUTE_MS,
    latenessMs: 2 * DAY_MS,
    ...(options.maxHeldBytes === undefined ? {} : { maxHeldBytes: options.maxHeldBytes }),
    ...(options.traces === undefined ? {} : { traces: options.traces }),
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const post = async (
    path: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>>,
  ): Promise<IntakeAnswer> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : new Blob([Uint8Array.from(body)]),
    });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  return {
    url,
    post: (body, headers = {}) => post('/v1/events', body, { 'content-type': 'application/x-ndjson', ...headers }),
    postTraces: (body, headers = {}) => post('/v1/traces', body, { 'content-type': 'application/json', ...headers }),
    metrics: () => registry.metrics(),
    close: () => app.close(),
  };
}

export interface StoredLetter {
  readonly code: string;
  readonly position: number;
  readonly raw: Buffer;
  readonly rawBytes: number;
  readonly source: string;
  readonly receivedAtMs: number;
}

const LETTERS = defineQuery<Record<string, never>, StoredLetter>({
  name: 'test-dead-letters',
  sql: 'SELECT * FROM dead_letters FINAL ORDER BY source, position, content_hash',
  decode: (row) => ({
    code: String(row.code),
    position: Number(row.position),
    raw: Buffer.from(String(row.raw_base64), 'base64'),
    rawBytes: Number(row.raw_bytes),
    source: String(row.source),
    receivedAtMs: Number(row.received_at_ms),
  }),
});

export interface StoredRequest {
  readonly request_id: string;
  readonly tenant: string;
  readonly pool: string;
  readonly gateway: string | null;
  readonly arrived_at_ms: number;
}

const REQUESTS = defineQuery<Record<string, never>, StoredRequest>({
  name: 'test-stored-requests',
  sql: `SELECT request_id, tenant, pool, gateway, arrived_at_ms FROM requests FINAL
ORDER BY pool, arrived_at_ms, request_id`,
  decode: (row) => ({
    request_id: String(row.request_id),
    tenant: String(row.tenant),
    pool: String(row.pool),
    gateway: row.gateway === null ? null : String(row.gateway),
    arrived_at_ms: Number(row.arrived_at_ms),
  }),
});

export const storedLetters = (store: Store): Promise<StoredLetter[]> => store.query('reads', LETTERS, {});
export const storedRequests = (store: Store): Promise<StoredRequest[]> => store.query('reads', REQUESTS, {});

/** Leaves nothing of an earlier test. */
export async function emptyStore(store: Store): Promise<void> {
  for (const table of ['requests', 'dead_letters', 'pool_capacity']) {
    await store.command('intake', `TRUNCATE TABLE ${table}`);
  }
}

/** The fields of a valid event that arrived a minute ago. */
export function recent(requestId: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { request_id: requestId, tenant: 'a', arrived_at: INTAKE_NOW_MS - MINUTE_MS, ...more };
}

export const lines = (...values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');
