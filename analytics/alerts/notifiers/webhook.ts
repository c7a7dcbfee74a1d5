import type { Notifier } from './notifier.ts';

export interface WebhookOptions {
  readonly url: string;
  /** Of one delivery, ms. */
  readonly timeoutMs: number;
}

export const DEFAULT_WEBHOOK_TIMEOUT_MS = 10_000;

/**
 * POSTs the notification as JSON. `webhook-id` is stable per notification: a receiver that has seen it may ignore the
 * repetition that at-least-once delivery allows. Redirects are not followed.
 */
export function webhookNotifier(options: WebhookOptions): Notifier {
  return {
    name: 'webhook',
    deliver: async (entry, signal) => {
      try {
        const response = await fetch(options.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'webhook-id': entry.id, 'user-agent': 'evenshare' },
          body: entry.body,
          redirect: 'manual',
          signal: AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]),
        });
        await response.body?.cancel();
        if (response.ok) return { delivered: true };
        return { delivered: false, error: `answered ${response.status}`, retryAfterMs: retryAfterOf(response) };
      } catch (error) {
        return { delivered: false, error: reasonOf(error), retryAfterMs: null };
      }
    },
  };
}

function retryAfterOf(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'TimeoutError') return 'did not answer in time';
  const { cause } = error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : error.name;
  return `could not be reached (${code})`;
}
