import type { RejectReason, Status } from '../event/decision-event.ts';

/** What a response flag or a response code detail says of a request. */
export type EnvoyVerdict =
  | { readonly kind: 'rejected'; readonly reason: RejectReason }
  | { readonly kind: 'ended'; readonly status: Status };

const rejected = (reason: RejectReason): EnvoyVerdict => ({ kind: 'rejected', reason });
const ended = (status: Status): EnvoyVerdict => ({ kind: 'ended', status });

/**
 * Envoy's response flags (its documentation, "Access logging", `%RESPONSE_FLAGS%`), short and long. Those that only tell
 * of a delay, of a cache or of health checks say nothing here. `UAEX` is the external authorization's no: which one, the
 * response code says.
 */
const FLAGS: readonly (readonly [short: string, long: string, verdict: EnvoyVerdict])[] = [
  ['RL', 'RateLimited', rejected('quota')],
  ['RLSE', 'RateLimitServiceError', rejected('other')],
  ['UO', 'UpstreamOverflow', rejected('circuit_open')],
  ['OM', 'OverloadManagerTerminated', rejected('degraded')],
  ['DO', 'DropOverload', rejected('degraded')],
  ['UDO', 'UnconditionalDropOverload', rejected('degraded')],
  ['UAEX', 'UnauthorizedExternalService', rejected('other')],
  ['UH', 'NoHealthyUpstream', rejected('other')],
  ['NR', 'NoRouteFound', rejected('other')],
  ['NC', 'NoClusterFound', rejected('other')],
  ['NFCF', 'NoFilterConfigFound', rejected('other')],
  ['IH', 'InvalidEnvoyRequestHeaders', rejected('other')],
  ['DPE', 'DownstreamProtocolError', rejected('other')],
  ['FI', 'FaultInjected', rejected('other')],
  ['UT', 'UpstreamRequestTimeout', ended('timeout')],
  ['SI', 'StreamIdleTimeout', ended('timeout')],
  ['DT', 'DurationTimeout', ended('timeout')],
  ['UMSDR', 'UpstreamMaxStreamDurationReached', ended('timeout')],
  ['DC', 'DownstreamConnectionTermination', ended('cancelled')],
  ['DR', 'DownstreamRemoteReset', ended('cancelled')],
  ['URX', 'UpstreamRetryLimitExceeded', ended('error')],
  ['UF', 'UpstreamConnectionFailure', ended('error')],
  ['UC', 'UpstreamConnectionTermination', ended('error')],
  ['UR', 'UpstreamRemoteReset', ended('error')],
  ['LR', 'LocalReset', ended('error')],
  ['UPE', 'UpstreamProtocolError', ended('error')],
  ['DF', 'DnsResolutionFailed', ended('error')],
];

const VERDICTS: ReadonlyMap<string, EnvoyVerdict> = new Map(
  FLAGS.flatMap(([short, long, verdict]) => [[short, verdict] as const, [long, verdict] as const]),
);

/** Response code details (`%RESPONSE_CODE_DETAILS%`) up to a `{` or `[`, blanks as underscores. */
const DETAILS: ReadonlyMap<string, EnvoyVerdict> = new Map([
  ['request_rate_limited', rejected('quota')],
  ['local_rate_limited', rejected('quota')],
  ['rate_limiter_error', rejected('other')],
  ['overload', rejected('degraded')],
  ['drop_overload', rejected('degraded')],
  ['unconditional_drop_overload', rejected('degraded')],
  ['reached_concurrency_limit', rejected('queue_full')],
  ['denied_by_admission_control', rejected('degraded')],
  ['ext_authz_denied', rejected('other')],
  ['ext_authz_error', rejected('other')],
  ['rbac_access_denied_matched_policy', rejected('other')],
  ['jwt_authn_access_denied', rejected('unknown_tenant')],
  ['maintenance_mode', rejected('other')],
  ['no_healthy_upstream', rejected('other')],
  ['route_not_found', rejected('other')],
  ['cluster_not_found', rejected('other')],
  ['fault_filter_abort', rejected('other')],
  ['response_timeout', ended('timeout')],
  ['upstream_per_try_timeout', ended('timeout')],
  ['upstream_per_try_idle_timeout', ended('timeout')],
  ['stream_idle_timeout', ended('timeout')],
  ['request_overall_timeout', ended('timeout')],
  ['downstream_remote_disconnect', ended('cancelled')],
]);

/** The flags of `%RESPONSE_FLAGS%`; none for null, `-` and what is no text. */
export function splitFlags(flags: string | null): readonly string[] {
  if (flags === null || flags === '-' || flags === '') return NO_FLAGS;
  return flags.includes(',') ? flags.split(',', MOST_FLAGS) : [flags];
}

const NO_FLAGS: readonly string[] = [];
/** Envoy has some thirty. */
const MOST_FLAGS = 64;

/** The name of a detail, without what it holds in braces. */
export function detailName(details: string): string {
  const brace = details.search(/[{[(]/);
  return brace < 0 ? details : details.slice(0, brace);
}

function ofDetails(details: string): EnvoyVerdict | null {
  if (details === 'via_upstream') return null;
  // The circuit breaker's own reset: the flag UO is not logged by every format.
  if (details.startsWith('upstream_reset_before_response_started{overflow')) return rejected('circuit_open');
  return DETAILS.get(detailName(details)) ?? null;
}

/**
 * What Envoy decided. A refusal among the flags counts before how a request ended; the external authorization's no is
 * told apart by its code: 429 a quota, 401 an unknown tenant. Null: neither says anything.
 */
export function envoyVerdict(
  flags: readonly string[],
  details: string | null,
  code: number | null,
): EnvoyVerdict | null {
  if (flags.length === 0 && details === 'via_upstream') return null;
  let found: EnvoyVerdict | null = null;
  for (const flag of flags) {
    const verdict = VERDICTS.get(flag);
    if (verdict !== undefined && (found === null || (found.kind === 'ended' && verdict.kind === 'rejected')))
      found = verdict;
  }
  found ??= details === null ? null : ofDetails(details);
  const isAuthorization = flags.includes('UAEX') || flags.includes('UnauthorizedExternalService');
  if (!isAuthorization && !(details?.startsWith('ext_authz_denied') ?? false)) return found;
  if (code === 429) return rejected('quota');
  return code === 401 ? rejected('unknown_tenant') : found;
}
