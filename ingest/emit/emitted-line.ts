import type { EmittedEvent } from './emitted-event.ts';
import type { EmittedLine } from './line-buffer.ts';

/** Longer lines are refused by the intake. */
const MAX_EVENT_BYTES = 1_048_576;

/** What goes over the line; null when no JSON can be made of the event, or too much of it. */
export function lineOf(event: EmittedEvent): EmittedLine | null {
  try {
    const text: unknown = JSON.stringify(event);
    if (typeof text !== 'string') return null;
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > MAX_EVENT_BYTES) return null;
    const key = 'request_id' in event ? event.request_id : 'gateway' in event ? event.gateway : event.pool;
    return { text, bytes, key: String(key) };
  } catch {
    return null;
  }
}
