import { explainWindow } from '../../../../analytics/explain/explain-window.ts';
import { type Store, tsvRow } from '../../../../analytics/storage/index.ts';
import { computeRange } from '../../../../analytics/window/compute-range.ts';
import { declareWeights } from '../../../../analytics/window/declare-pool.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../../analytics/window/pool-model.ts';
import { readWindows } from '../../../../analytics/window/read-windows.ts';
import type { Window } from '../../../../analytics/window/window-result.ts';
import { REQUEST_COLUMNS, requestCells } from '../../../../ingest/event/event-row.ts';
import { declareSlots } from '../../../support/temporary-store.ts';
import { FROM_MS, MINUTE_MS, type PlantedCause, type Situation } from './situation.ts';

/** The windows of a situation, from event rows through the store. */
export async function windowsOf(store: Store, situation: Situation): Promise<Window[]> {
  const pool = `planted ${situation.seed}`;
  await declareSlots(store, pool, situation.slots);
  for (const { atMs, slots } of situation.slotChanges) await declareSlots(store, pool, slots, atMs);
  await declareWeights(store, pool, situation.weights, 0);
  const rows = situation.events.map((each) => tsvRow(requestCells({ ...each, pool }, 0)));
  await store.insert('intake', 'requests', REQUEST_COLUMNS, rows.join(''));
  const range = { pool, windowMs: MINUTE_MS, fromMs: FROM_MS, toMs: FROM_MS + situation.windows * MINUTE_MS };
  await computeRange(store, {
    ...range,
    watermarkMs: situation.watermarkMs,
    closedToMs: situation.watermarkMs,
    options: { ...DEFAULT_POOL_OPTIONS, costUnit: situation.costUnit },
    computation: 1,
  });
  return readWindows(store, 'reads', range, true);
}

/** One thing that is not as it was planted. */
export interface Misjudged {
  readonly window: number;
  readonly what: string;
}

/** What is not as planted; empty: all is. */
export function misjudged(situation: Situation, windows: readonly Window[]): Misjudged[] {
  const wrong: Misjudged[] = [];
  const { expected } = situation;
  const byNumber = new Map(windows.map((window) => [(Date.parse(window.start) - FROM_MS) / MINUTE_MS, window]));
  for (const [number, window] of byNumber) {
    const say = (what: string): void => void wrong.push({ window: number, what });
    if (window.verdict === 'unknown') say(`unknown: ${window.verdict_reasons.join()}`);
    for (const tenant of window.tenants) {
      const mayBeShort = expected.victims?.has(tenant.tenant) === true || number >= expected.aftermathFrom;
      if (tenant.verdict === 'short' && !mayBeShort) say(`${tenant.tenant} is short`);
      if (tenant.verdict === 'over' && expected.victims === null) say(`${tenant.tenant} is over`);
    }
    if (expected.unfair.length === 0 && window.verdict === 'unfair') say('unfair');
    const before = byNumber.get(number - 1) ?? null;
    const top = explainWindow(window, null, { pool: 'p', before, groupWeights: new Map() }).top_cause;
    if (expected.named.includes(number)) {
      if (window.verdict !== 'unfair') say(`${window.verdict}, not unfair`);
      else if (!isPlanted(top, expected.causes)) say(`put down to ${top.cause} ${top.tenant ?? ''}`);
    } else if (window.verdict === 'unfair' && expected.causes.length > 0) {
      const allowed = [...expected.causes, { cause: 'carried_over', tenant: null } as const];
      if (!isPlanted(top, allowed)) say(`later put down to ${top.cause} ${top.tenant ?? ''}`);
    } else if (expected.unfair.includes(number) && window.verdict !== 'unfair')
      say(`${window.verdict} later, not unfair`);
    if (expected.capped?.windows.includes(number) === true) {
      const verdict = window.tenants.find(({ tenant }) => tenant === expected.capped?.tenant)?.verdict;
      if (verdict !== 'capped') say(`${expected.capped.tenant} is ${verdict}, not capped`);
      if (top.cause !== 'quota' || top.tenant !== expected.capped.tenant) say(`quota put down to ${top.cause}`);
    }
  }
  for (const number of expected.named) if (!byNumber.has(number)) wrong.push({ window: number, what: 'is not there' });
  return wrong;
}

function isPlanted(
  top: { readonly cause: string; readonly tenant: string | null },
  causes: readonly PlantedCause[],
): boolean {
  return causes.some(({ cause, tenant }) => cause === top.cause && (tenant === null || tenant === top.tenant));
}
