import { type Random, seededRandom } from '../../../scheduler-core/kernel/index.ts';

const START_MS = Date.UTC(2026, 2, 2, 10, 0, 0);
const TENANTS = 200;

const below = (random: Random, count: number): number => Math.floor(random.next() * count);
const hex = (random: Random): string =>
  below(random, 2 ** 32)
    .toString(16)
    .padStart(8, '0');

/** The fields that Envoy's own documentation logs, as a site would log them. */
function envoyLine(random: Random, index: number): unknown {
  const isLimited = random.next() < 0.05;
  const sentMs = 2 + below(random, 60);
  return {
    start_time: new Date(START_MS + index * 3).toISOString(),
    method: 'POST',
    path: `/v1/orders/${below(random, 1e6)}`,
    protocol: 'HTTP/2',
    response_code: isLimited ? 429 : 200,
    response_flags: isLimited ? 'RL' : '-',
    response_code_details: isLimited ? 'request_rate_limited' : 'via_upstream',
    bytes_received: below(random, 4_000),
    bytes_sent: below(random, 20_000),
    duration: sentMs + 150,
    request_duration: 2,
    request_tx_duration: isLimited ? null : sentMs,
    response_duration: isLimited ? null : sentMs + 140,
    response_tx_duration: isLimited ? null : 10,
    queue_ms: isLimited ? null : sentMs - 2,
    upstream_service_time: isLimited ? null : 140,
    upstream_request_attempt_count: isLimited ? 0 : 1,
    upstream_cluster: 'orders',
    upstream_host: isLimited ? null : '10.0.3.17:8080',
    route_name: 'orders-write',
    x_request_id: `${hex(random)}-${hex(random)}-${hex(random)}`,
    tenant: `tenant-${below(random, TENANTS)}`,
  };
}

function nginxLine(random: Random, index: number): unknown {
  const isDelayed = random.next() < 0.1;
  const upstreamMs = 20 + below(random, 300);
  return {
    msec: ((START_MS + index * 3) / 1000).toFixed(3),
    request_id: hex(random) + hex(random),
    remote_addr: '10.1.2.3',
    tenant: `tenant-${below(random, TENANTS)}`,
    request_method: 'POST',
    uri: `/v1/orders/${below(random, 1e6)}`,
    status: 200,
    request_length: below(random, 4_000),
    bytes_sent: below(random, 20_000),
    request_time: (upstreamMs + (isDelayed ? 40 : 1)) / 1000,
    upstream_addr: '10.0.3.17:8080, 10.0.3.18:8080',
    upstream_status: '502, 200',
    upstream_connect_time: '0.001, 0.001',
    upstream_header_time: `-, ${(upstreamMs / 2000).toFixed(3)}`,
    upstream_response_time: `0.004, ${((upstreamMs - 4) / 1000).toFixed(3)}`,
    limit_req_status: isDelayed ? 'DELAYED' : 'PASSED',
    limit_conn_status: 'PASSED',
  };
}

function litellmLine(random: Random, index: number): unknown {
  const startS = (START_MS + index * 3) / 1000;
  return {
    id: `chatcmpl-${hex(random)}`,
    trace_id: `${hex(random)}-${hex(random)}`,
    call_type: 'acompletion',
    status: 'success',
    response_cost: random.next() / 100,
    prompt_tokens: below(random, 4_000),
    completion_tokens: below(random, 900),
    total_tokens: 900,
    startTime: startS,
    endTime: startS + random.next() * 9,
    completionStartTime: startS + 0.4,
    response_time: 0.45,
    model: 'gpt-4o-mini',
    model_id: 'dep-1',
    model_group: 'chat',
    api_base: 'https://example.invalid',
    cache_hit: false,
    saved_cache_cost: 0,
    request_tags: ['prod'],
    end_user: 'u-17',
    requester_ip_address: '10.1.2.3',
    error_str: null,
    error_information: null,
    metadata: {
      user_api_key_hash: hex(random),
      user_api_key_alias: 'acme-prod',
      user_api_key_org_id: 'org-1',
      user_api_key_team_id: `team-${below(random, TENANTS)}`,
      user_api_key_user_id: 'svc-7',
      user_api_key_team_alias: 'acme',
    },
    hidden_params: { model_id: 'dep-1', additional_headers: { x_ratelimit_remaining_requests: 91 } },
  };
}

const LINES: Readonly<Record<string, (random: Random, index: number) => unknown>> = {
  envoy: envoyLine,
  nginx: nginxLine,
  litellm: litellmLine,
};

/** Formats that the benchmark knows. */
export const MEASURED_FORMATS: readonly string[] = Object.keys(LINES);

/** Lines of a format as its gateway writes them, from a seed. */
export function generateLines(format: string, count: number, seed: number): readonly string[] {
  const make = LINES[format];
  if (make === undefined) throw new Error(`no lines are made of format ${format}`);
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => JSON.stringify(make(random, index)));
}
