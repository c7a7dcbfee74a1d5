import type { RejectReason, Status } from '../event/decision-event.ts';
import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import { type GatewayFormat, gatewayAdapter, type Reading } from './gateway-adapter.ts';
import { type GatewayFacts, NO_FACTS } from './gateway-event.ts';
import { refusalOfCode, statusOfCode } from './http-status.ts';
import type { DurationField } from './log-field.ts';
import type { Site } from './site.ts';
import { lastUpstreamStatus, type UpstreamTimes, upstreamTimes } from './upstream-list.ts';

const MS_PER_UNIT = { ms: 1, s: 1e3, us: 1e-3, ns: 1e-6 } as const;

/** What `limit_req_status` and `limit_conn_status` say; dry runs refuse and delay nothing. */
interface Limits {
  readonly isRejected: boolean;
  readonly isDelayed: boolean;
  /** `limit_req` was asked, so that a delay would have been told. */
  readonly isKnown: boolean;
}

function limitsOf(request: string | null, connection: string | null): Limits {
  return {
    isRejected: request === 'REJECTED' || connection === 'REJECTED',
    isDelayed: request === 'DELAYED',
    isKnown: request !== null,
  };
}

function readUpstream(field: DurationField, reader: FieldReader, record: JsonObject): UpstreamTimes {
  const times = upstreamTimes(field.raw(record), field.name);
  if (!('kind' in times)) return times;
  reader.fail(times.code, times.detail);
  return { sum: 0, tries: 0 };
}

/** The times of a request that nginx let through. */
function servedTimes(
  arrivedAtMs: number,
  time: { readonly requestMs: number; readonly upstreamMs: number; readonly wasSent: boolean },
  limits: Limits,
): Pick<GatewayFacts, 'dispatchedAtMs' | 'completedAtMs' | 'waitProvenance'> {
  const waitMs = limits.isDelayed ? Math.max(0, time.requestMs - time.upstreamMs) : 0;
  const dispatchedAtMs = arrivedAtMs + waitMs;
  return {
    dispatchedAtMs,
    completedAtMs: time.wasSent ? dispatchedAtMs + time.upstreamMs : arrivedAtMs + time.requestMs,
    waitProvenance: limits.isKnown ? 'derived' : 'absent',
  };
}

function declareDecision(site: Site) {
  const statusField = site.number('status');
  const upstreamStatus = site.text('upstream_status');
  const limitReq = site.text('limit_req_status');
  const limitConn = site.text('limit_conn_status');
  return (reader: FieldReader, record: JsonObject) => {
    const code = statusField.count(reader, record);
    const upstream = lastUpstreamStatus(upstreamStatus.read(reader, record));
    const limitTexts = [limitReq.read(reader, record), limitConn.read(reader, record)] as const;
    const limits = limitsOf(...limitTexts);
    const own = site.hasRefusals ? site.refusal([...limitTexts, String(code)]) : null;
    const reason = own === 'admitted' ? null : (own ?? ownRefusal(code, upstream, limits));
    const status: Status | null = reason === null ? statusOfCode(code) : null;
    return { reason, status, limits, isAsked: upstream !== null };
  };
}

/** A limit's refusal is a quota; an error status that no server gave is nginx's own, but for what only the client ended. */
function ownRefusal(code: number | null, upstream: number | null, limits: Limits): RejectReason | null {
  if (limits.isRejected) return 'quota';
  if (upstream !== null || code === 499 || code === 408 || code === 502 || code === 504) return null;
  return refusalOfCode(code);
}

function declare(site: Site): Reading {
  const logged = site.time('msec', 's');
  const requestTime = site.duration('request_time', 's');
  const upstreamTime = site.duration('upstream_response_time', 's');
  const requestId = site.text('request_id');
  const readDecision = declareDecision(site);
  const received = site.number('request_length');
  const sent = site.number('bytes_sent');
  const cost = site.cost(['bytes']);
  const read = (reader: FieldReader, record: JsonObject): GatewayFacts => {
    const loggedAtMs = logged.read(reader, record);
    const requestMs = requestTime.read(reader, record);
    if (requestMs === null) reader.fail('missing_field', `${requestTime.name} is missing: the arrival follows from it`);
    const arrivedAtMs = loggedAtMs === null || requestMs === null ? null : Math.round(loggedAtMs - requestMs);
    const upstream = readUpstream(upstreamTime, reader, record);
    const { reason, status, limits, isAsked } = readDecision(reader, record);
    const times =
      arrivedAtMs === null || requestMs === null || reason !== null
        ? NO_FACTS
        : servedTimes(
            arrivedAtMs,
            {
              requestMs,
              upstreamMs: upstream.sum * MS_PER_UNIT[upstreamTime.unit],
              wasSent: isAsked || upstream.sum > 0,
            },
            limits,
          );
    return {
      requestId: requestId.read(reader, record),
      arrivedAtMs,
      outcome: reason === null ? 'admitted' : 'rejected',
      reason,
      status,
      dispatchedAtMs: times.dispatchedAtMs,
      completedAtMs: times.completedAtMs,
      waitProvenance: times.waitProvenance,
      cost: cost === null ? null : (received.read(reader, record) ?? 0) + (sent.read(reader, record) ?? 0),
      inputTokens: null,
      outputTokens: null,
      attempt: upstream.tries,
      originalRequestId: null,
      retryAfterMs: null,
    };
  };
  return { tenant: ['tenant'], labels: ['status', 'upstream_status', 'limit_req_status', 'limit_conn_status'], read };
}

const FORMAT: GatewayFormat = {
  name: 'nginx',
  summary: 'nginx access log (JSON by log_format escape=json)',
  costUnit: 'requests',
  isDashAbsent: true,
  example: JSON.stringify({
    msec: '1772446507.894',
    request_id: 'a8f3',
    tenant: 'acme',
    status: 200,
    request_length: 812,
    bytes_sent: 2211,
    request_time: 0.184,
    upstream_status: '502, 200',
    upstream_response_time: '0.020, 0.139',
    limit_req_status: 'DELAYED',
    limit_conn_status: 'PASSED',
  }),
  provenance: {
    request_id: 'measured',
    tenant: 'measured',
    arrived_at: 'derived',
    outcome: 'derived',
    reason: 'derived',
    dispatched_at: 'derived',
    completed_at: 'derived',
    status: 'derived',
    cost: 'measured',
    attempt: 'derived',
  },
  known: {
    tenant: { says: 'mapped', provenance: 'measured' },
    arrival: { says: '`msec` − `request_time` (`msec` is the log time)', provenance: 'derived' },
    decision: { says: '`limit_req_status`, status', provenance: 'derived' },
    wait: { says: 'DELAYED: `request_time` − Σ upstream', provenance: 'derived' },
    service: { says: 'upstream times, comma lists', provenance: 'derived' },
    cost: { says: 'bytes', provenance: 'measured' },
    retry: { says: 'comma lists', provenance: 'derived' },
  },
  declare,
};

/**
 * nginx's access log as JSON. `msec` is the time of logging, in seconds: the request arrived `request_time` before. The
 * time that is nobody's upstream is the wait where `limit_req` delayed the request, and 0 where it passed; without
 * `limit_req_status` the wait is absent.
 */
export const nginxAdapter = gatewayAdapter(FORMAT);
