import type { FairnessReader } from '../fairness-reader.ts';
import { windowStart } from '../window/bounds.ts';
import type { Window } from '../window/window-result.ts';
import { explainWindow } from './explain-window.ts';
import type { Explanation } from './explanation.ts';
import { shownName } from './shown-words.ts';

export interface ExplainQuery {
  readonly pool: string;
  /** Any moment of the window, epoch ms. */
  readonly atMs: number;
  readonly windowMs: number;
  /** Null: the whole window. */
  readonly tenant: string | null;
}

/** An explanation, or what is missing for one. */
export type ExplainAnswer =
  | { readonly kind: 'explained'; readonly explanation: Explanation }
  | { readonly kind: 'no_pool'; readonly pools: readonly string[] }
  | { readonly kind: 'no_window'; readonly detail: string }
  | { readonly kind: 'no_tenant'; readonly detail: string };

const NAMES_SHOWN = 8;
/** How far on either side windows are looked for, in windows: an hour of minutes, a day, ten days. */
const SEARCH_WINDOWS = [60, 1_440, 14_400] as const;

/** Explains the stored window that holds a moment; nothing is computed anew. */
export async function explainAt(reader: FairnessReader, query: ExplainQuery): Promise<ExplainAnswer> {
  const { pool, windowMs, tenant } = query;
  const startMs = windowStart(query.atMs, windowMs);
  const { windows } = await reader.windows({
    pool,
    windowMs,
    fromMs: startMs - windowMs,
    toMs: startMs + windowMs,
    withTenants: true,
  });
  const window = windows.find((each) => Date.parse(each.start) === startMs);
  if (window === undefined) return tellMissing(reader, query, startMs);
  if (tenant !== null && !window.tenants.some((each) => each.tenant === tenant)) {
    return { kind: 'no_tenant', detail: noTenant(window, tenant, pool) };
  }
  const before = windows.find((each) => each.end === window.start) ?? null;
  const groupWeights = window.tenants.some((each) => each.group !== null)
    ? await reader.groupWeights(pool, startMs)
    : new Map<string, number>();
  return { kind: 'explained', explanation: explainWindow(window, tenant, { pool, before, groupWeights }) };
}

function noTenant(window: Window, tenant: string, pool: string): string {
  const names = window.tenants.slice(0, NAMES_SHOWN).map((each) => shownName(each.tenant));
  const more = window.tenants.length - names.length;
  const all = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `tenant ${shownName(tenant)} has no request in the window ${window.start} of pool ${shownName(pool)}: it has ${all || 'nobody'}`;
}

async function tellMissing(reader: FairnessReader, query: ExplainQuery, startMs: number): Promise<ExplainAnswer> {
  const pools = (await reader.pools()).map((each) => ({ pool: each.pool, toMs: each.computed_to_ms }));
  const known = pools.find((each) => each.pool === query.pool);
  if (known === undefined) return { kind: 'no_pool', pools: pools.map((each) => each.pool) };
  const none = `no window of pool ${shownName(query.pool)} holds ${new Date(query.atMs).toISOString()}`;
  if (known.toMs === null) {
    return { kind: 'no_window', detail: `${none}: none is computed yet, run "evenshare analyze"` };
  }
  const [before, after] = await nearest(reader, query, startMs);
  const near = [before, after].flatMap((each) => (each === null ? [] : [each]));
  const where =
    near.length === 0
      ? `the newest ends ${new Date(known.toMs).toISOString()}`
      : `the nearest ${near.length === 1 ? 'starts' : 'start'} ${near.join(' and ')}`;
  return {
    kind: 'no_window',
    detail: `${none}: ${where} (windows without any request are not stored; "evenshare analyze" computes what is missing)`,
  };
}

async function nearest(
  reader: FairnessReader,
  { pool, windowMs }: ExplainQuery,
  startMs: number,
): Promise<readonly [string | null, string | null]> {
  for (const count of SEARCH_WINDOWS) {
    const { windows } = await reader.windows({
      pool,
      windowMs,
      fromMs: startMs - count * windowMs,
      toMs: startMs + count * windowMs,
      withTenants: false,
    });
    const before = windows.findLast((each) => Date.parse(each.start) < startMs)?.start ?? null;
    const after = windows.find((each) => Date.parse(each.start) > startMs)?.start ?? null;
    if (before !== null || after !== null) return [before, after];
  }
  return [null, null];
}
