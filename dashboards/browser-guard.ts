import type { FastifyInstance } from 'fastify';
import { type Refusal, sendProblem } from './problem.ts';

/** Host names of a server bound to loopback. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses what a foreign web page could make a reader's browser send: requests under another host name (DNS rebinding;
 * `allowedHosts` null allows any) and cross-site requests that write.
 */
export function guardAgainstForeignPages(app: FastifyInstance, allowedHosts: readonly string[] | null): void {
  app.addHook('onRequest', async (request, reply) => {
    const refusal = refuseForeignPage(allowedHosts, {
      host: request.headers.host,
      method: request.method,
      fetchSite: request.headers['sec-fetch-site'],
    });
    if (refusal !== null) return sendProblem(reply, refusal);
  });
}

export interface BrowserRequest {
  readonly host: string | undefined;
  readonly method: string;
  /** `Sec-Fetch-Site`, which browsers set and scripts cannot. */
  readonly fetchSite: string | string[] | undefined;
}

/** Null when the request may pass, else why not. */
export function refuseForeignPage(allowedHosts: readonly string[] | null, request: BrowserRequest): Refusal | null {
  if (allowedHosts !== null && !allowedHosts.some((allowed) => allowed.toLowerCase() === hostNameOf(request.host))) {
    const detail = `this server answers only as ${allowedHosts.join(', ')}: add the host name you use to its allowed hosts`;
    return { status: 421, code: 'EVS_HTTP', detail };
  }
  const writes = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'OPTIONS';
  if (writes && request.fetchSite === 'cross-site') {
    return { status: 403, code: 'EVS_HTTP', detail: 'a page of another site may not write to this server' };
  }
  return null;
}

/** The host name without its port, in lower case; the brackets of an IPv6 address stay. */
function hostNameOf(host: string | undefined): string {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host ?? '')?.[1] ?? '';
  return name.toLowerCase().replace(/\.$/, '');
}
