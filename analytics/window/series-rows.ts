import { type Cell, type Store, tsvArray, tsvRow } from '../storage/index.ts';
import type { Membership } from './cardinality-cap.ts';
import type { FoldedWindow } from './fold-rest.ts';
import type { SeriesRest, SeriesTenant } from './series-result.ts';

/** The lines of a window before they are written. */
export interface SeriesRow extends FoldedWindow {
  readonly startMs: number;
  /** The computation of the window that they were made of. */
  readonly of: number;
  readonly membership: Membership;
}

interface Place {
  readonly pool: string;
  readonly windowMs: number;
  /** Larger than that of any lines stored before. */
  readonly computation: number;
}

interface Line {
  readonly place: Place;
  readonly row: SeriesRow & { readonly digest: string };
  readonly figures: SeriesTenant | SeriesRest;
  /** Null for the rest. */
  readonly tenant: SeriesTenant | null;
  readonly rest: SeriesRest | null;
}

type Column = readonly [name: string, cell: (line: Line) => Cell];

const COLUMNS: readonly Column[] = [
  ['pool', ({ place }) => place.pool],
  ['window_ms', ({ place }) => place.windowMs],
  ['start_ms', ({ row }) => row.startMs],
  ['is_rest', ({ tenant }) => tenant === null],
  ['member', ({ tenant }) => tenant?.tenant ?? ''],
  ['computation', ({ place }) => place.computation],
  ['why', ({ tenant }) => tenant?.why ?? ''],
  ['tenants', ({ rest }) => rest?.tenants ?? 1],
  ['in_share', ({ tenant }) => tenant?.in_share ?? null],
  ['demand_cost', ({ figures }) => figures.demand_cost],
  ['ideal_cost', ({ figures }) => figures.ideal_cost],
  ['served_cost', ({ figures }) => figures.served_cost],
  ['normalized_share', ({ figures }) => figures.normalized_share],
  ['lag_cost', ({ figures }) => figures.lag_cost],
  ['retries', ({ figures }) => figures.retries],
  ['rejected', ({ figures }) => figures.rejected],
  ['gave_up', ({ figures }) => figures.gave_up],
  ['in_share_requests', ({ figures }) => figures.in_share_requests],
  ['wait_samples', ({ figures }) => figures.wait_samples],
  ['wait_p99_ms', ({ figures }) => figures.wait_p99_ms],
  ['rejected_tenants', ({ rest }) => rest?.rejected_tenants ?? 0],
  ['sample_tenants', ({ rest }) => tsvArray((rest?.samples ?? []).map((sample) => sample.tenant))],
  ['sample_rejected', ({ rest }) => tsvArray((rest?.samples ?? []).map((sample) => sample.rejected))],
  ['sample_attempts', ({ rest }) => tsvArray((rest?.samples ?? []).map((sample) => sample.attempts))],
  ['state_tenants', (line) => tsvArray(stateOf(line).map((member) => member.tenant))],
  ['state_by', (line) => tsvArray(stateOf(line).map((member) => member.by))],
  ['state_stay_windows', (line) => tsvArray(stateOf(line).map((member) => member.stayWindows))],
  ['digest', ({ row }) => row.digest],
  ['requests', ({ figures }) => figures.requests],
];

const COLUMN_NAMES = COLUMNS.map(([name]) => name);

function stateOf({ rest, row }: Line): Membership {
  return rest === null ? [] : row.membership;
}

/** Writes the lines of windows, each window's tenants and its rest. */
export async function insertSeries(
  store: Store,
  place: Place,
  rows: readonly (SeriesRow & { readonly digest: string })[],
): Promise<void> {
  const texts: string[] = [];
  const add = (line: Line): void => void texts.push(tsvRow(COLUMNS.map(([, cell]) => cell(line))));
  for (const row of rows) {
    for (const tenant of row.tenants) add({ place, row, figures: tenant, tenant, rest: null });
    add({ place, row, figures: row.rest, tenant: null, rest: row.rest });
  }
  await store.insert('jobs', 'tenant_series', COLUMN_NAMES, texts.join(''));
}
