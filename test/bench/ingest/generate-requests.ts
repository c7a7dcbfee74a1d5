import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { seededRandom } from '../../../scheduler-core/index.ts';
import { event } from '../../support/temporary-store.ts';

export interface Traffic {
  readonly seed: number;
  readonly requests: number;
  readonly tenants: number;
  /** Arrivals spread evenly over `[fromMs, fromMs + spanMs)`, epoch ms. */
  readonly fromMs: number;
  readonly spanMs: number;
  /** A request comes up to so much later in the stream than one that arrived after it. */
  readonly disorderMs: number;
}

export const POOL = 'llm-a';
const MAX_WAIT_MS = 3_000;
const MAX_SERVICE_MS = 2_000;
const REFUSED_RATIO = 0.01;

/** Requests of a busy pool in the order of a log: a few loud tenants, many quiet ones, one in a hundred refused. */
export function* generateRequests(traffic: Traffic): Generator<DecisionEvent> {
  const random = seededRandom(traffic.seed);
  const lastMs = traffic.fromMs + traffic.spanMs - 1;
  for (let index = 0; index < traffic.requests; index++) {
    const turnMs = traffic.fromMs + (index / traffic.requests) * traffic.spanMs;
    const arrivedAtMs = Math.min(lastMs, Math.floor(turnMs + random.next() * traffic.disorderMs));
    const tenant = Math.floor(random.next() ** 2 * traffic.tenants);
    const base = {
      pool: POOL,
      requestId: `${traffic.seed}-${index.toString(16).padStart(8, '0')}`,
      tenant: `tenant-${tenant.toString().padStart(4, '0')}`,
      arrivedAtMs,
    };
    if (random.next() < REFUSED_RATIO) {
      yield event({ ...base, outcome: 'rejected', reason: 'queue_full', costEstimate: 500 });
      continue;
    }
    const dispatchedAtMs = arrivedAtMs + Math.floor(random.next() ** 4 * MAX_WAIT_MS);
    yield event({
      ...base,
      dispatchedAtMs,
      completedAtMs: dispatchedAtMs + Math.floor(random.next() * MAX_SERVICE_MS),
      status: 'ok',
      inputTokens: Math.floor(random.next() * 2_000),
      outputTokens: Math.floor(random.next() * 500),
    });
  }
}

const time = (ms: number): string => new Date(ms).toISOString();

/** An event on the wire, about 250 bytes. */
function eventLine(one: DecisionEvent): string {
  return `${JSON.stringify({
    schema: 'evenshare.decision.v1',
    request_id: one.requestId,
    pool: one.pool,
    tenant: one.tenant,
    arrived_at: time(one.arrivedAtMs),
    ...(one.outcome === null ? {} : { outcome: one.outcome, reason: one.reason, cost_estimate: one.costEstimate }),
    ...(one.dispatchedAtMs === null ? {} : { dispatched_at: time(one.dispatchedAtMs) }),
    ...(one.completedAtMs === null ? {} : { completed_at: time(one.completedAtMs), status: one.status }),
    ...(one.inputTokens === null ? {} : { input_tokens: one.inputTokens, output_tokens: one.outputTokens }),
  })}\n`;
}

const LINES_PER_WRITE = 2_000;

function* textOf(traffic: Traffic): Generator<Buffer> {
  let lines: string[] = [];
  for (const one of generateRequests(traffic)) {
    lines.push(eventLine(one));
    if (lines.length < LINES_PER_WRITE) continue;
    yield Buffer.from(lines.join(''));
    lines = [];
  }
  yield Buffer.from(lines.join(''));
}

/** Writes the traffic as a file of NDJSON. */
export async function writeLog(path: string, traffic: Traffic): Promise<void> {
  await pipeline(Readable.from(textOf(traffic)), createWriteStream(path));
}
