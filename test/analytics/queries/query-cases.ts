import { BACKFILL_COLUMNS } from '../../../analytics/queries/backfill-progress.ts';
import { REVISION_COLUMNS } from '../../../analytics/queries/window-revisions.ts';
import { tsvRow } from '../../../analytics/storage/index.ts';
import { decideTopTenants } from '../../../analytics/window/cardinality-cap.ts';
import { foldRest, standingOf } from '../../../analytics/window/fold-rest.ts';
import { encodeTerms, NO_TERMS } from '../../../analytics/window/policy-terms.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { rollUp } from '../../../analytics/window/roll-up.ts';
import { insertSeries } from '../../../analytics/window/series-rows.ts';
import { insertTenantRows, writeTenantRows } from '../../../analytics/window/tenant-rows.ts';
import { WINDOW_COLUMN_NAMES, type WindowRow, windowCells } from '../../../analytics/window/window-cells.ts';
import type { Window } from '../../../analytics/window/window-result.ts';
import { deadLetterId, storeDeadLetters, storeRetries } from '../../../ingest/dead-letters.ts';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { declareSlots, event, insertEvents, type TemporaryStore } from '../../support/temporary-store.ts';
import { FINAL, FROM_MS, PROVISIONAL, storedTenant, TO_MS, WINDOW_MS } from './window-cases.ts';

const one = (requestId: string, tenant: string, arrivedAfterMs: number, given: Partial<DecisionEvent> = {}) =>
  event({ requestId, tenant, arrivedAtMs: FROM_MS + arrivedAfterMs, ...given });
const served = (waitMs: number, serviceMs: number, arrivedAfterMs: number): Partial<DecisionEvent> => ({
  dispatchedAtMs: FROM_MS + arrivedAfterMs + waitMs,
  completedAtMs: FROM_MS + arrivedAfterMs + waitMs + serviceMs,
});

/** Two minutes in which everything happens once. */
const EVENTS: readonly DecisionEvent[] = [
  one('a1', 'a', 0, { ...served(0, 30_000, 0), cost: 3, weight: 2 }),
  one('a2', 'a', 0, { ...served(30_000, 30_000, 0), cost: 3, gateway: 'g1' }),
  one('a3', 'a', 10_000, { ...served(50_000, 10_000, 10_000), costEstimate: 2 }),
  one('b1', 'b', 20_000, { outcome: 'rejected', reason: 'queue_full' }),
  one('b1-again', 'b', 25_000, { ...served(600, 1_000, 25_000), originalRequestId: 'b1', attempt: 2 }),
  one('b2', 'b', 30_000, { outcome: 'rejected', reason: 'quota', cost: 5 }),
  one('c1', '🦊 中文', 40_000, { completedAtMs: FROM_MS + 45_000, status: 'cancelled' }),
  one('c2', '🦊 中文', 61_000, {}),
  one('c3', '🦊 中文', 62_000, { dispatchedAtMs: FROM_MS + 62_500, inputTokens: 10, outputTokens: 20, slots: 2 }),
  one('c4', '🦊 中文', 63_000, served(-500, 1_000, 63_000)),
  // The same id and attempt with another tenant: a conflict of identity. The same with another cost: one of a field.
  one('a1', 'b', 5_000, served(0, 100, 5_000)),
  one('a2', 'a', 0, { cost: 4 }),
];

/** Pools whose names would end a quoted text, each with a request of its own. */
export const HOSTILE_POOLS: readonly string[] = ["'", "x' OR 1=1 --", 'x\\'];

function row(window: Window, computation: number): WindowRow {
  return {
    pool: 'p',
    windowMs: WINDOW_MS,
    startMs: Date.parse(window.start),
    computation,
    attempts: 8,
    meanServiceMs: 10_000.5,
    workPerBusyMs: 0.0001,
    saturatedServedCost: window.state === 'final' ? 9.5 : null,
    fluidWorkPerBusyMs: 0.0002,
    fluidBacklogOf: (tenant) => ({ cut: tenant === 'a' ? 0.75 : 0, due: tenant === 'a' ? 0.875 : 0 }),
    absentDueBacklogs: new Map(window.state === 'final' ? [['gone', 0.5]] : []),
    watermarkMs: TO_MS,
    digest: 'd1e5',
    window,
  };
}

/** In 2096: rows that are kept for some days only are kept whenever this runs. */
const KEPT_MS = 4_000_000_000_000;

/** A store that holds something for every query. */
export async function fillStore({ store }: TemporaryStore): Promise<void> {
  // An event an insert, so that those of one request are stored apart.
  for (const each of EVENTS) await insertEvents(store, [each]);
  await insertEvents(
    store,
    HOSTILE_POOLS.map((pool, index) => one(`h${index}`, "a','b", 1_000, { pool })),
  );
  await declareSlots(store, 'p', 2);
  await store.insert(
    'jobs',
    'pool_capacity',
    ['pool', 'at_ms', 'source', 'slots', 'capacity_per_s', 'stored_at_ms'],
    tsvRow(['p', FROM_MS, 'configured', null, 2.5, 0]),
  );
  await store.insert(
    'jobs',
    'backfill_progress',
    BACKFILL_COLUMNS,
    tsvRow(['p', WINDOW_MS, FROM_MS, TO_MS, FROM_MS + WINDOW_MS, 0, 0, '', 1, 1, 0]) +
      tsvRow(['q', WINDOW_MS, FROM_MS, TO_MS, FROM_MS, 0, 1, 'the disk\tis full', 0, 0, 0]),
  );
  await store.insert(
    'jobs',
    'window_revisions',
    REVISION_COLUMNS,
    tsvRow(['p', WINDOW_MS, FROM_MS, 1, 2, '{"revision":1}', 3]),
  );
  await store.insert(
    'jobs',
    'tenant_weights',
    ['pool', 'tenant', 'at_ms', 'weight', 'stored_at_ms'],
    tsvRow(['p', 'a', 0, 2, 0]) + tsvRow(['p', 'a', FROM_MS, 0.5, 0]),
  );
  // An older computation of the first window, with a tenant that the newer one has no more.
  const outdated: Window = { ...FINAL, revision: 1, tenants: [...FINAL.tenants, storedTenant('gone')] };
  for (const [window, computation] of [
    [outdated, 1_000],
    [FINAL, 2_000],
    [PROVISIONAL, 2_000],
  ] as const) {
    const stored = row(window, computation);
    await insertTenantRows(store, writeTenantRows(stored, window.tenants).texts);
    await store.insert('jobs', 'windows', WINDOW_COLUMN_NAMES, tsvRow(windowCells(stored)));
  }
  await store.insert(
    'jobs',
    'wait_histograms',
    ['pool', 'window_ms', 'computation', 'tenant', 'waits', 'start_ms'],
    tsvRow(['p', WINDOW_MS, 2_000, 'a', { nested: '{1:100,601:20}' }, FROM_MS]),
  );
  const day = { fromMs: FROM_MS, toMs: TO_MS, closedToMs: FROM_MS + 86_400_000 };
  await rollUp(store, { pool: 'p', windowMs: WINDOW_MS, ...day });
  await storeDeadLetters(store, [
    {
      receivedAtMs: FROM_MS,
      code: 'not_json',
      detail: 'x',
      source: 'f',
      position: 1,
      format: 'evenshare',
      raw: Buffer.from('{'),
    },
    {
      receivedAtMs: FROM_MS + 1,
      code: 'not_json',
      detail: 'x',
      source: 'f',
      position: 2,
      format: 'evenshare',
      raw: Buffer.from('['),
    },
    {
      receivedAtMs: FROM_MS + 2,
      code: 'time_unit',
      detail: 'x',
      source: 'f',
      position: 3,
      format: 'evenshare',
      raw: Buffer.from(''),
    },
  ]);
  // Once more, a year later: still one letter.
  const again = { code: 'not_json', detail: 'x', source: 'f', format: 'evenshare', raw: Buffer.from('[') } as const;
  await storeDeadLetters(store, [{ ...again, position: 2, receivedAtMs: FROM_MS + 366 * 86_400_000 }]);
  const id = deadLetterId({ source: 'f', position: 1, raw: Buffer.from('{') });
  await storeRetries(store, [
    { id, retriedAtMs: TO_MS, refusal: { code: 'missing_field', detail: 'no tenant' } },
    { id, retriedAtMs: TO_MS - 1, refusal: { code: 'torn_line', detail: 'y' } },
    {
      id: deadLetterId({ source: 'f', position: 3, raw: Buffer.from('') }),
      retriedAtMs: TO_MS,
      refusal: null,
    },
  ]);
  await store.insert(
    'intake',
    'coverage_reports',
    ['pool', 'gateway', 'from_ms', 'to_ms', 'decisions', 'stored_at_ms'],
    [
      ['p', 'g1', FROM_MS, FROM_MS + 30_000, 9, 1],
      ['p', 'g1', FROM_MS, FROM_MS + 30_000, 2, 2],
      ['p', 'silent', FROM_MS + 30_000, FROM_MS + 90_000, 5, 1],
    ]
      .map((cells) => tsvRow(cells))
      .join(''),
  );
  await store.insert(
    'intake',
    'stream_progress',
    ['topic', 'partition', 'from_offset', 'to_offset', 'messages', 'events', 'letters', 'stored_at_ms'],
    [
      ['t', 0, 0, 10, 10, 9, 1, KEPT_MS],
      // Delivered again with more; then a gap of five.
      ['t', 0, 5, 20, 15, 15, 0, KEPT_MS],
      ['t', 0, 25, 30, 5, 5, 0, KEPT_MS],
      ['t', 1, 7, 8, 1, 0, 1, KEPT_MS],
    ]
      .map((cells) => tsvRow(cells))
      .join(''),
  );
  await store.insert('jobs', 'job_progress', ['window_ms', 'late_checked_to_ms'], tsvRow([WINDOW_MS, TO_MS]));
  // One that was renewed, one that came later, one that was given back.
  const claims = [
    ['first', 1, 1, 0],
    ['first', 1, 2, 0],
    ["'; DROP TABLE requests; --", 2, 1, 0],
    ['gone', 1, 9, 1],
  ] as const;
  const claimed = claims.map((cells) => tsvRow(cells)).join('');
  await store.insert('jobs', 'job_leases', ['holder', 'term', 'renewal', 'is_released'], claimed);
  await fillPolicies({ store });
  await fillAlerts({ store });
  await fillSeries({ store });
}

/** Policies before, at and inside the windows, and one after them. */
async function fillPolicies({ store }: Pick<TemporaryStore, 'store'>): Promise<void> {
  const rows = [
    [0, 'first', []],
    [FROM_MS - WINDOW_MS, "it's", ['a', 'b']],
    [TO_MS - WINDOW_MS, 'a\tb\n🦊', ['a', 'b', 'c']],
    [TO_MS, 'later', ['a']],
  ] as const;
  await store.insert(
    'jobs',
    'pool_policies',
    ['pool', 'at_ms', 'name', 'digest', 'body', 'source', 'applied_at_ms'],
    rows
      .map(([atMs, name, tenants]) => {
        const terms = { ...NO_TERMS, tenants: new Map(tenants.map((tenant) => [tenant, NO_TERMS.defaultTenant])) };
        return tsvRow(['p', atMs, name, `digest of ${name}`, encodeTerms(terms), `# ${name}\n`, 1]);
      })
      .join(''),
  );
}

/** The lines of the first window, twice: the newer ones show one tenant and fold the other. */
async function fillSeries({ store }: Pick<TemporaryStore, 'store'>): Promise<void> {
  const options = { topTenants: 1, pinnedTenants: [] };
  for (const [computation, topTenants] of [
    [1_000, 2],
    [2_000, 1],
  ] as const) {
    const top = decideTopTenants(LINES.tenants.map(standingOf), null, { ...options, topTenants });
    const row = { startMs: FROM_MS, of: 2_000, membership: top.membership, ...foldRest(LINES, top.members) };
    await insertSeries(store, { pool: 'p', windowMs: WINDOW_MS, computation }, [{ ...row, digest: `d${topTenants}` }]);
  }
  const waits = [
    [2_000, 'a', '{1:1}'],
    [2_000, "it's", '{0:3,51:2}'],
    [2_000, 'x\ty', '{50:1,51:4}'],
    [1_000, 'outdated', '{51:100}'],
  ] as const;
  await store.insert(
    'jobs',
    'wait_histograms',
    ['pool', 'window_ms', 'start_ms', 'tenant', 'waits', 'computation'],
    waits
      .map(([computation, tenant, nested]) => tsvRow(['p', WAITS_WINDOW_MS, FROM_MS, tenant, { nested }, computation]))
      .join(''),
  );
}

/** A length of their own for the waits of the rest, apart from what is stored of the windows. */
const WAITS_WINDOW_MS = WINDOW_MS / 2;

/** What the first window says of two tenants, so that they are all of it. */
const LINES: Window = {
  ...FINAL,
  demand_cost: 7,
  served_cost: 4,
  tenants: [storedTenant('a', { requests: 4 }), storedTenant("it's")],
};

async function fillAlerts({ store }: Pick<TemporaryStore, 'store'>): Promise<void> {
  const states = [
    'rule',
    'pool',
    'incident_id',
    'state',
    'breaching',
    'recovering',
    'since_ms',
    'worst_p99_wait_ms',
    'evaluated_to_ms',
    'notified',
    'version',
  ];
  const state = (version: number, name: string) =>
    tsvRow(["it's", 'p', 'i1', name, 3, 0, FROM_MS, 2601.5, TO_MS, true, version]);
  await store.insert('jobs', 'alert_states', states, state(1, 'pending'));
  await store.insert('jobs', 'alert_states', states, state(2, 'firing'));
  const outbox = [
    'id',
    'receiver',
    'rule',
    'pool',
    'transition',
    'created_at_ms',
    'body',
    'attempts',
    'next_attempt_ms',
    'state',
    'last_error',
    'version',
  ];
  const entry = (id: string, name: string, nextAttemptMs: number): string =>
    tsvRow([id, 'r', 'rule', 'p', 'firing', FROM_MS, '{"text":"a\\tb"}', 2, nextAttemptMs, name, '503', 1]);
  const entries = [
    entry('due', 'waiting', TO_MS),
    entry('later', 'waiting', TO_MS + 1),
    entry('done', 'delivered', 0),
    entry('lost', 'dead', 0),
  ];
  await store.insert('jobs', 'alert_outbox', outbox, entries.join(''));
}

const range = { pool: 'p', window_ms: WINDOW_MS, from_ms: FROM_MS, to_ms: TO_MS };
const prices = {
  cost_unit: DEFAULT_POOL_OPTIONS.costUnit,
  input_token_price: DEFAULT_POOL_OPTIONS.inputTokenPrice,
  output_token_price: DEFAULT_POOL_OPTIONS.outputTokenPrice,
};

/** The hour of the stored windows, and a span with the second of them. */
const rollups = {
  starts: [FROM_MS],
  computations: [2_000],
  part_periods: [1],
  part_starts: [FROM_MS],
  part_fingerprints: [946142788050807825n],
  span_starts: [FROM_MS + WINDOW_MS],
  span_ends: [TO_MS],
  all_tenants: false,
};

/** A value for every placeholder that a statement of the product has, by name; what one calls otherwise is in `OTHERWISE`. */
export const PARAMETERS = {
  ...range,
  ...prices,
  ...rollups,
  rows: 'completed_rows',
  tenant: 'a',
  computation: 2_000,
  written: [FROM_MS / WINDOW_MS, FROM_MS / WINDOW_MS + 1],
  since_ms: 0,
  at_ms: FROM_MS - WINDOW_MS,
  now_ms: TO_MS,
  threshold_ms: 500,
  lookback_from_ms: FROM_MS - WINDOW_MS,
  refused_from_ms: FROM_MS,
  reach_ms: FROM_MS,
  costs_from_ms: FROM_MS - 59 * WINDOW_MS,
  watermark_ms: TO_MS + 5_000,
  max_request_age_ms: 3_600_000,
  repeated: true,
  means: [20_000, 10_000],
  means_from_window: FROM_MS / WINDOW_MS,
  over_share_windows: [FROM_MS / WINDOW_MS],
  over_share_tenants: ['a'],
  starts: [FROM_MS],
  computations: [2_000],
  shown_starts: [FROM_MS],
  shown_tenants: ['a'],
  id_from: 0,
  id_to: '18446744073709551615',
  source: '',
  code: '',
  with_stored: true,
  before_ms: Number.MAX_SAFE_INTEGER,
  before_id: '18446744073709551615',
  letters: 100,
  sources: ['f'],
  position_from: 0,
  position_to: 3,
  ids: ['{', '[', ''].map((raw, index) =>
    BigInt(`0x${deadLetterId({ source: 'f', position: index + 1, raw: Buffer.from(raw) })}`),
  ),
} as const;

/** Where a query needs another value to have rows: what stands before the windows, not in them. */
export const OTHERWISE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'earlier-means': { from_ms: FROM_MS, to_ms: TO_MS },
  'earlier-windows': { from_ms: TO_MS },
  'rest-waits': { window_ms: WAITS_WINDOW_MS },
};
