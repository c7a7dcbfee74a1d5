import type { Provenance, RejectReason, Status } from '../event/decision-event.ts';
import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import type { Known, KnownColumn } from './adapter.ts';
import { detailName, envoyVerdict, splitFlags } from './envoy-decision.ts';
import { type GatewayFormat, gatewayAdapter, type Reading } from './gateway-adapter.ts';
import { type GatewayFacts, NO_FACTS } from './gateway-event.ts';
import { refusalOfCode, statusOfCode } from './http-status.ts';
import type { Site } from './site.ts';

/** Where a request stood in Envoy, in ms from its start; null: not logged. */
interface Timing {
  /** The last byte of the request came (`%REQUEST_DURATION%`, DS_RX_END). */
  readonly receivedMs: number | null;
  /** The last byte was sent upstream (`%REQUEST_TX_DURATION%`, US_TX_END). */
  readonly sentMs: number | null;
  /** The first byte of the answer came (`%RESPONSE_DURATION%`, US_RX_BEG). */
  readonly answeredMs: number | null;
  /** From the answer's first byte to its last downstream (`%RESPONSE_TX_DURATION%`). */
  readonly answeringMs: number | null;
  readonly totalMs: number | null;
  /** DS_RX_END→US_TX_BEG. */
  readonly queuedMs: number | null;
  /** US_TX_END→US_RX_END. */
  readonly servedMs: number | null;
}

/** At most so long did the request wait in Envoy; null: the log does not tell. */
function waitMs(time: Timing): number | null {
  if (time.queuedMs !== null) return time.queuedMs;
  if (time.receivedMs === null || time.sentMs === null) return null;
  return Math.max(0, time.sentMs - time.receivedMs);
}

/** How long it was upstream; null: the log does not tell. */
function serviceMs(time: Timing): number | null {
  if (time.servedMs !== null) return time.servedMs;
  if (time.sentMs === null) return null;
  if (time.answeredMs !== null && time.answeringMs !== null) {
    return Math.max(0, time.answeredMs + time.answeringMs - time.sentMs);
  }
  return time.totalMs === null ? null : Math.max(0, time.totalMs - time.sentMs);
}

type Times = Pick<GatewayFacts, 'dispatchedAtMs' | 'completedAtMs' | 'waitProvenance'>;

/** The request's times: what it did before it went upstream is its wait, an upper bound. */
function timesOf(arrivedAtMs: number | null, time: Timing, wasSent: boolean): Times {
  if (arrivedAtMs === null) return NO_FACTS;
  const endedAtMs = time.totalMs === null ? null : arrivedAtMs + time.totalMs;
  // It left before anything was sent upstream: all of its time it waited.
  if (!wasSent && time.sentMs === null && time.queuedMs === null) {
    return { dispatchedAtMs: null, completedAtMs: endedAtMs, waitProvenance: 'bounded' };
  }
  const wait = waitMs(time);
  const service = serviceMs(time);
  if (wait === null) {
    const completedAtMs = service === null ? endedAtMs : arrivedAtMs + service;
    return { dispatchedAtMs: arrivedAtMs, completedAtMs, waitProvenance: 'absent' };
  }
  const dispatchedAtMs = arrivedAtMs + wait;
  const completedAtMs = service === null ? endedAtMs : dispatchedAtMs + service;
  return { dispatchedAtMs, completedAtMs, waitProvenance: 'bounded' };
}

interface Decision {
  readonly outcome: 'admitted' | 'rejected';
  readonly reason: RejectReason | null;
  readonly status: Status | null;
}

function declareTiming(site: Site) {
  const received = site.duration('request_duration', 'ms');
  const sent = site.duration('request_tx_duration', 'ms');
  const answered = site.duration('response_duration', 'ms');
  const answering = site.duration('response_tx_duration', 'ms');
  const total = site.duration('duration', 'ms');
  const queued = site.duration('queue_ms', 'ms');
  const served = site.duration('service_ms', 'ms');
  return (reader: FieldReader, record: JsonObject): Timing => ({
    receivedMs: received.read(reader, record),
    sentMs: sent.read(reader, record),
    answeredMs: answered.read(reader, record),
    answeringMs: answering.read(reader, record),
    totalMs: total.read(reader, record),
    queuedMs: queued.read(reader, record),
    servedMs: served.read(reader, record),
  });
}

function declareDecision(site: Site) {
  const code = site.number('response_code');
  const flags = site.text('response_flags');
  const details = site.text('response_code_details');
  const host = site.text('upstream_host');
  return (reader: FieldReader, record: JsonObject): Decision & { readonly wasSent: boolean } => {
    const codeNumber = code.count(reader, record);
    const flagNames = splitFlags(flags.read(reader, record));
    const detailText = details.read(reader, record);
    const hasHost = host.raw(record) !== undefined;
    const answered = detailText === 'via_upstream' || (detailText === null && hasHost);
    const own = site.hasRefusals
      ? site.refusal([detailText, detailText && detailName(detailText), ...flagNames, String(codeNumber)])
      : null;
    if (own !== null && own !== 'admitted') return refused(own);
    const verdict = envoyVerdict(flagNames, detailText, codeNumber);
    if (own === null && verdict?.kind === 'rejected') return refused(verdict.reason);
    // Neither flags nor details: a gateway that answers an error by itself refused.
    const reason = own === null && verdict === null && !answered ? refusalOfCode(codeNumber) : null;
    if (reason !== null) return refused(reason);
    const status = verdict?.kind === 'ended' ? verdict.status : statusOfCode(codeNumber);
    const wasSent = answered || hasHost || status !== 'cancelled';
    return { outcome: 'admitted', reason: null, status, wasSent };
  };
}

function refused(reason: RejectReason): Decision & { readonly wasSent: boolean } {
  return { outcome: 'rejected', reason, status: null, wasSent: false };
}

/** What the formats of Envoy have in common; `withTokens` adds the tokens of the AI gateway in place of its retries. */
export function declareEnvoy(site: Site, withTokens: boolean): Reading {
  const startTime = site.time('start_time');
  const requestId = site.text('request_id', ['x_request_id', 'x-request-id', 'request_id']);
  const readTiming = declareTiming(site);
  const readDecision = declareDecision(site);
  const received = site.number('bytes_received');
  const sent = site.number('bytes_sent');
  const attempts = withTokens ? null : site.number('upstream_request_attempt_count');
  const input = withTokens ? site.number('input_tokens', ['genai_tokens_input']) : null;
  const output = withTokens ? site.number('output_tokens', ['genai_tokens_output']) : null;
  const cost = site.cost(['bytes']);
  const read = (reader: FieldReader, record: JsonObject): GatewayFacts => {
    const arrivedAtMs = startTime.read(reader, record);
    const { outcome, reason, status, wasSent } = readDecision(reader, record);
    const times = outcome === 'rejected' ? NO_FACTS : timesOf(arrivedAtMs, readTiming(reader, record), wasSent);
    return {
      requestId: requestId.read(reader, record),
      arrivedAtMs,
      outcome,
      reason,
      status,
      dispatchedAtMs: times.dispatchedAtMs,
      completedAtMs: times.completedAtMs,
      waitProvenance: times.waitProvenance,
      cost: cost === null ? null : (received.read(reader, record) ?? 0) + (sent.read(reader, record) ?? 0),
      inputTokens: input === null ? null : input.count(reader, record),
      outputTokens: output === null ? null : output.count(reader, record),
      attempt: attempts === null ? null : attempts.count(reader, record),
      originalRequestId: null,
      retryAfterMs: null,
    };
  };
  const model = withTokens ? ['genai_model_name', 'genai_backend_name'] : [];
  const labels = [
    'response_code',
    'response_flags',
    'response_code_details',
    'route_name',
    'upstream_cluster',
    ...model,
  ];
  return { tenant: ['tenant'], labels, read };
}

export const ENVOY_PROVENANCE = {
  request_id: 'measured',
  tenant: 'measured',
  arrived_at: 'measured',
  outcome: 'derived',
  reason: 'derived',
  dispatched_at: 'bounded',
  completed_at: 'derived',
  status: 'derived',
} as const satisfies Readonly<Record<string, Provenance>>;

const KNOWN: Readonly<Record<KnownColumn, Known>> = {
  tenant: { says: 'header or dynamic metadata', provenance: 'measured' },
  arrival: { says: '`START_TIME`', provenance: 'measured' },
  decision: { says: 'response flags (RL, RLSE, UO, OM, UT, URX, DC, UAEX) and code details', provenance: 'derived' },
  wait: { says: 'upper bound: DS_RX_END→US_TX_BEG', provenance: 'bounded' },
  service: { says: 'US_TX_END→US_RX_END', provenance: 'derived' },
  cost: { says: 'bytes', provenance: 'measured' },
  retry: { says: 'attempt count', provenance: 'measured' },
};

const FORMAT: GatewayFormat = {
  name: 'envoy',
  summary: 'Envoy access log (JSON)',
  costUnit: 'requests',
  isDashAbsent: true,
  example: JSON.stringify({
    start_time: '2026-03-02T10:15:04.301Z',
    response_code: 200,
    response_flags: '-',
    response_code_details: 'via_upstream',
    bytes_received: 790,
    bytes_sent: 2211,
    duration: 184,
    request_duration: 2,
    request_tx_duration: 41,
    response_duration: 180,
    response_tx_duration: 4,
    queue_ms: 38,
    upstream_request_attempt_count: 2,
    upstream_host: '10.0.3.17:8080',
    x_request_id: '9b2f4b0a',
    tenant: 'globex',
  }),
  provenance: { ...ENVOY_PROVENANCE, cost: 'measured', attempt: 'measured' },
  known: KNOWN,
  declare: (site) => declareEnvoy(site, false),
};

/**
 * Envoy's access log as JSON. The wait is bounded from above: from the last byte of the request to the first one
 * upstream (`queue_ms`, `%COMMON_DURATION(DS_RX_END:US_TX_BEG:ms)%`, else `request_tx_duration` − `request_duration`);
 * without these it is absent. The service is `service_ms` (US_TX_END→US_RX_END), else what the other durations say.
 */
export const envoyAdapter = gatewayAdapter(FORMAT);
