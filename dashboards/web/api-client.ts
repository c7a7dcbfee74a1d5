import type { PoolsResponse, PoolWindows } from '../api-schema.ts';

const TIMEOUT_MS = 10_000;

/** An answer of the API, or why there is none. */
export type Answer<Body> =
  | { readonly ok: true; readonly body: Body }
  | { readonly ok: false; readonly kind: 'token' | 'refused' | 'unreachable'; readonly detail: string };

export interface WindowsRequest {
  readonly pool: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly withTenants: boolean;
}

export interface ApiClient {
  pools(): Promise<Answer<PoolsResponse>>;
  windows(request: WindowsRequest): Promise<Answer<PoolWindows>>;
}

/** The API of the server that the page came from; `token` is asked for at each request. */
export function apiClient(token: () => string | null): ApiClient {
  return {
    pools: () => getJson('api/v1/pools', token()),
    windows: ({ pool, fromMs, toMs, withTenants }) => {
      const query = `from=${fromMs}&to=${toMs}&tenants=${withTenants ? 1 : 0}`;
      return getJson(`api/v1/pools/${encodeURIComponent(pool)}/windows?${query}`, token());
    },
  };
}

async function getJson<Body>(path: string, token: string | null): Promise<Answer<Body>> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(path, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, body: body as Body }; // seam: the server checks its answers against the schema
    const kind = response.status === 401 || response.status === 403 ? 'token' : 'refused';
    return { ok: false, kind, detail: detailOf(body) ?? `the server answered ${response.status}` };
  } catch (error) {
    const slow = error instanceof DOMException && error.name === 'TimeoutError';
    const detail = slow ? `the server did not answer within ${TIMEOUT_MS / 1_000} s` : 'the server cannot be reached';
    return { ok: false, kind: 'unreachable', detail };
  }
}

function detailOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return null;
  const { detail }: { detail: unknown } = body;
  return typeof detail === 'string' ? detail : null;
}
