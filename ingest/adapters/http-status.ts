import type { RejectReason, Status } from '../event/decision-event.ts';

/** How a request that was served ended, by its HTTP status; 0 and 499 are clients that went away. Null: no such status. */
export function statusOfCode(code: number | null): Status | null {
  if (code === null) return null;
  if (code === 0 || code === 499) return 'cancelled';
  if (code === 408 || code === 504) return 'timeout';
  if (code >= 400) return 'error';
  return 'ok';
}

/** Why a gateway that answers by itself refused, by its HTTP status; null: it refused nothing. */
export function refusalOfCode(code: number | null): RejectReason | null {
  if (code === null || code < 400) return null;
  if (code === 429) return 'quota';
  if (code === 401) return 'unknown_tenant';
  return 'other';
}
