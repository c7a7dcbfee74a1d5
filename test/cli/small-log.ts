/** 2026-10-01T10:00:00Z, the start of a minute. */
export const LOG_START_MS = 1_790_848_800_000;

export interface LogOptions {
  readonly requests: number;
  /** Between arrivals. Default 100. */
  readonly everyMs?: number;
  readonly pool?: string;
  /** What ids begin with. Default `r`. */
  readonly prefix?: string;
}

/** An NDJSON log of three tenants: each request waits 5 ms and is served for 20 ms, so that two slots suffice. */
export function smallLog({ requests, everyMs = 100, pool, prefix = 'r' }: LogOptions): string {
  let text = '';
  for (let index = 0; index < requests; index++) {
    const arrivedAtMs = LOG_START_MS + index * everyMs;
    const event = {
      request_id: `${prefix}${index}`,
      ...(pool === undefined ? {} : { pool }),
      tenant: ['a', 'b', '中文'][index % 3],
      arrived_at: arrivedAtMs,
      dispatched_at: arrivedAtMs + 5,
      completed_at: arrivedAtMs + 25,
      status: 'ok',
    };
    text += `${JSON.stringify(event)}\n`;
  }
  return text;
}
