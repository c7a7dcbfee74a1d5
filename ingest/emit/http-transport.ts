import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EmitterParts } from './emitter-options.ts';
import type { EmittedLine } from './line-buffer.ts';
import { parseRetryAfterMs } from './retry-delay.ts';
import type { Delivery, Transport } from './transport.ts';

export interface HttpTransportOptions {
  /** With its path. */
  readonly url: string;
  readonly token: string | null;
  readonly attemptTimeoutMs: number;
  readonly parts: Pick<EmitterParts, 'nowMs' | 'sleep'>;
}

const gzipAsync = promisify(gzip);
/** Smaller bodies go as they are. */
const GZIP_FROM_BYTES = 1_024;

/** Posts lines to `/v1/events`. The address and the token are in no message. */
export function httpTransport(options: HttpTransportOptions): Transport {
  const { url, token, attemptTimeoutMs, parts } = options;
  const attempt = async (lines: readonly EmittedLine[], signal: AbortSignal): Promise<Delivery> => {
    const text = `${lines.map((line) => line.text).join('\n')}\n`;
    const isPacked = text.length >= GZIP_FROM_BYTES;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: isPacked ? await gzipAsync(text) : text,
      // A token is for the address that it was given for.
      redirect: 'manual',
      signal,
    });
    // Read in any case: an unread answer holds its connection.
    const answer = await response.text();
    if (response.status === 202) return { kind: 'delivered', rejected: countRejected(answer) };
    return refusal(response, parts.nowMs());
  };
  return {
    async send(lines, signal) {
      const over = new AbortController();
      const abort = (): void => over.abort();
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      const done = new AbortController();
      void parts.sleep(attemptTimeoutMs, done.signal).then(() => {
        if (!done.signal.aborted) abort();
      });
      try {
        return await attempt(lines, over.signal);
      } catch {
        const why = over.signal.aborted ? 'Evenshare did not answer in time' : 'Evenshare could not be reached';
        return { kind: 'failed', why, retryAfterMs: null };
      } finally {
        done.abort();
        signal.removeEventListener('abort', abort);
      }
    },
    close: async () => undefined,
  };
}

function refusal(response: Response, nowMs: number): Delivery {
  const { status } = response;
  const why = `Evenshare answered ${status}`;
  if (status === 413) return { kind: 'too_large', why };
  if (status !== 408 && status !== 429 && status < 500) return { kind: 'refused', why };
  return { kind: 'failed', why, retryAfterMs: parseRetryAfterMs(response.headers.get('retry-after'), nowMs) };
}

/** How many lines the body of a 202 tells as rejected; 0 when it is not as documented. */
function countRejected(answer: string): number {
  try {
    const body: unknown = JSON.parse(answer);
    if (typeof body !== 'object' || body === null || !('rejected_total' in body)) return 0;
    return typeof body.rejected_total === 'number' ? body.rejected_total : 0;
  } catch {
    return 0;
  }
}
