import type { EmittedLine } from './line-buffer.ts';

/** What became of one attempt to hand some lines over. */
export type Delivery =
  /** Durable on the other side, but for those that it keeps as dead letters. */
  | { readonly kind: 'delivered'; readonly rejected: number }
  /** Not now; the same again is harmless. */
  | { readonly kind: 'failed'; readonly why: string; readonly retryAfterMs: number | null }
  /** Too much at once: fewer may pass. */
  | { readonly kind: 'too_large'; readonly why: string }
  /** Never. */
  | { readonly kind: 'refused'; readonly why: string };

/** The way to the other side. Never throws. */
export interface Transport {
  send(lines: readonly EmittedLine[], signal: AbortSignal): Promise<Delivery>;
  close(): Promise<void>;
}
