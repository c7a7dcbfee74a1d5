import type { OutboxEntry } from '../../queries/alerts.ts';

export type DeliveryResult =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly error: string; readonly retryAfterMs: number | null };

/** Somewhere that notifications go. `deliver` never throws; the error it tells holds no secret and no address. */
export interface Notifier {
  readonly name: string;
  deliver(entry: OutboxEntry, signal: AbortSignal): Promise<DeliveryResult>;
}
