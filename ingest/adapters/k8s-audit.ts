import type { Provenance, RejectReason } from '../event/decision-event.ts';
import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import { type GatewayFormat, gatewayAdapter, type Reading } from './gateway-adapter.ts';
import { type GatewayFacts, NO_FACTS } from './gateway-event.ts';
import { statusOfCode } from './http-status.ts';
import type { TextField } from './log-field.ts';
import { goDurationMs } from './log-values.ts';
import type { Site } from './site.ts';

/** The API server writes its latencies only of requests that took longer. */
const ANNOTATED_FROM_MS = 500;

/** Verbs and subresources of requests that hold no seat while they last (Kubernetes, "API Priority and Fairness"). */
const LONG_RUNNING: ReadonlySet<unknown> = new Set(['watch', 'connect', 'proxy']);
const LONG_RUNNING_PARTS: ReadonlySet<unknown> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

function readDuration(field: TextField, reader: FieldReader, record: JsonObject): number | null {
  const value = field.raw(record);
  if (value === undefined) return null;
  const durationMs = goDurationMs(value, field.name);
  if (typeof durationMs === 'number') return durationMs;
  return reader.fail(durationMs.code, durationMs.detail);
}

interface Wait {
  readonly waitMs: number;
  readonly provenance: Provenance | null;
}

/**
 * The wait: as annotated. Without the annotation a request of more than 500 ms did not wait; of a shorter one nothing was
 * written down, and 0 stands for a wait that is somewhere below the threshold.
 */
function waitOf(queuedMs: number | null, totalMs: number): Wait {
  if (queuedMs !== null) return { waitMs: Math.min(queuedMs, totalMs), provenance: null };
  return { waitMs: 0, provenance: totalMs > ANNOTATED_FROM_MS ? 'derived' : 'censored' };
}

function declareDecision(site: Site, subresource: TextField) {
  const code = site.number('code', ['responseStatus.code']);
  return (reader: FieldReader, record: JsonObject, queuedMs: number | null) => {
    const status = code.count(reader, record);
    const own = site.hasRefusals ? site.refusal([String(status)]) : null;
    // An eviction's 429 is a disruption budget's, not the queue's.
    const isRefusal = status === 429 && subresource.raw(record) !== 'eviction';
    const standard: RejectReason | null = isRefusal ? (queuedMs !== null ? 'wait_budget' : 'queue_full') : null;
    const reason = own === 'admitted' ? null : (own ?? standard);
    return { reason, status: reason === null ? statusOfCode(status) : null };
  };
}

function declare(site: Site): Reading {
  const stage = site.text('stage');
  const verb = site.text('verb');
  const auditId = site.text('auditID');
  const received = site.time('requestReceivedTimestamp', 'rfc3339');
  const ended = site.time('stageTimestamp', 'rfc3339');
  const queued = site.text('apf_queue_wait', ['annotations.apiserver.latency.k8s.io/apf-queue-wait']);
  const subresource = site.text('subresource', ['objectRef.subresource']);
  const readDecision = declareDecision(site, subresource);
  site.cost([]);
  const read = (reader: FieldReader, record: JsonObject): GatewayFacts | 'skip' => {
    const at = stage.raw(record);
    if (at === 'RequestReceived' || at === 'ResponseStarted') return 'skip';
    if (LONG_RUNNING.has(verb.raw(record)) || LONG_RUNNING_PARTS.has(subresource.raw(record))) return 'skip';
    const arrivedAtMs = received.read(reader, record);
    const endedAtMs = ended.read(reader, record);
    const queuedMs = readDuration(queued, reader, record);
    const { reason, status } = readDecision(reader, record, queuedMs);
    const facts = { ...NO_FACTS, requestId: auditId.read(reader, record), arrivedAtMs, reason, status };
    const outcome = reason === null ? 'admitted' : 'rejected';
    if (arrivedAtMs === null || endedAtMs === null) {
      return { ...facts, outcome, dispatchedAtMs: null, waitProvenance: reason === null ? 'absent' : null };
    }
    // Refused after waiting: how long is told by its end.
    if (reason !== null) return { ...facts, outcome, completedAtMs: queuedMs === null ? null : arrivedAtMs + queuedMs };
    const { waitMs, provenance } = waitOf(queuedMs, Math.max(0, endedAtMs - arrivedAtMs));
    return {
      ...facts,
      outcome,
      dispatchedAtMs: arrivedAtMs + waitMs,
      completedAtMs: endedAtMs,
      waitProvenance: provenance,
    };
  };
  return { tenant: ['user.username'], labels: ['verb', 'objectRef.resource', 'responseStatus.code'], read };
}

const FORMAT: GatewayFormat = {
  name: 'k8s-audit',
  summary: 'Kubernetes audit log, with API Priority and Fairness waits',
  costUnit: 'requests',
  example: JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    auditID: '36cfcbe3',
    stage: 'ResponseComplete',
    verb: 'list',
    user: { username: 'system:serviceaccount:team-a:bot' },
    requestReceivedTimestamp: '2026-03-02T10:15:07.894000Z',
    stageTimestamp: '2026-03-02T10:15:08.720000Z',
    responseStatus: { code: 200 },
    annotations: {
      'apiserver.latency.k8s.io/total': '826ms',
      'apiserver.latency.k8s.io/apf-queue-wait': '610ms',
    },
  }),
  provenance: {
    request_id: 'measured',
    tenant: 'measured',
    arrived_at: 'measured',
    outcome: 'derived',
    reason: 'derived',
    dispatched_at: 'censored',
    completed_at: 'derived',
    status: 'derived',
  },
  known: {
    tenant: { says: '`user.username`', provenance: 'measured' },
    arrival: { says: '`requestReceivedTimestamp`', provenance: 'measured' },
    decision: { says: '429', provenance: 'derived' },
    wait: { says: 'annotation, only when total > 500 ms: censored', provenance: 'censored' },
    service: { says: 'total − wait', provenance: 'derived' },
    cost: { says: 'absent', provenance: 'absent' },
    retry: { says: 'absent', provenance: 'absent' },
  },
  declare,
};

/**
 * The API server's audit log, of the stage at which a request ended. The wait in the queues of API Priority and Fairness
 * is annotated only of requests that took over 500 ms in all: of the others it is censored, stored as 0. Watches and other
 * long-running requests hold no seat and are skipped, as are the earlier stages.
 */
export const k8sAuditAdapter = gatewayAdapter(FORMAT);
