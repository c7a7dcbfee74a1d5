import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineQuery, type Parameters, tsvRow } from '../../../analytics/storage/index.ts';
import {
  type DecisionEvent,
  OUTCOMES,
  PROVENANCES,
  REJECT_REASONS,
  STATUSES,
} from '../../../ingest/event/decision-event.ts';
import { REQUEST_COLUMNS, requestCells } from '../../../ingest/event/event-row.ts';
import { mergeDecisions } from '../../../ingest/event/merge-events.ts';
import { event, type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';

/** Fields whose least value is kept too, by column; their wire names are those of conflicts. */
const DISPUTABLE = {
  outcome: 'outcome',
  reason: 'reason',
  dispatched_at_ms: 'dispatched_at',
  completed_at_ms: 'completed_at',
  cost_estimate: 'cost_estimate',
  cost: 'cost',
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
  slots: 'slots',
} as const;

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { freq: 2 });
/** Few values, so that events agree and disagree often; names that bytes and UTF-16 units sort differently. */
const name = fc.constantFrom('', 'a', 'b', 'batch', '\uFF5E', '🦊', 'é', '中文', '\\N', 'tab\tand\nline');
const time = fc.constantFrom(1_790_848_800_000, 1_790_848_800_001, 1_790_848_900_500);
const figure = fc.constantFrom(0, 0.1, 0.30000000000000004, 3, 1e15);
const tokens = fc.constantFrom(0, 1, 700, Number.MAX_SAFE_INTEGER);

const facts: fc.Arbitrary<Partial<DecisionEvent>> = fc.record({
  class: maybe(name),
  outcome: maybe(fc.constantFrom(...OUTCOMES)),
  reason: maybe(fc.constantFrom(...REJECT_REASONS)),
  dispatchedAtMs: maybe(time),
  completedAtMs: maybe(time),
  status: maybe(fc.constantFrom(...STATUSES)),
  costEstimate: maybe(figure),
  cost: maybe(figure),
  inputTokens: maybe(tokens),
  outputTokens: maybe(tokens),
  slots: maybe(fc.constantFrom(0.5, 1, 4)),
  originalRequestId: maybe(name),
  retryAfterMs: maybe(figure),
  promoted: maybe(fc.boolean()),
  weight: maybe(figure),
  queueDepth: maybe(figure),
  waitBudgetMs: maybe(figure),
  gateway: maybe(name),
  labels: maybe(name),
  tenantProvenance: maybe(fc.constantFrom(...PROVENANCES)),
  waitProvenance: maybe(fc.constantFrom(...PROVENANCES)),
});

/** The events of some requests, each sent any number of times, and the inserts that they come in. */
const deliveries = fc
  .array(fc.array(facts, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 80 })
  .chain((requests) => {
    const events = requests.flatMap((all, index) => all.map((one) => ({ index, one })));
    return fc.record({
      requests: fc.constant(requests.length),
      order: fc.shuffledSubarray([...events, ...events], { minLength: events.length, maxLength: 2 * events.length }),
      inserts: fc.integer({ min: 1, max: 4 }),
    });
  });

interface MergedRow {
  readonly event: DecisionEvent;
  readonly deliveries: number;
  readonly disputed: readonly string[];
}

const MERGED = defineQuery<Parameters & { readonly pool: string }, MergedRow>({
  name: 'merged',
  sql: `SELECT * FROM requests FINAL WHERE pool = {pool:String} ORDER BY toUInt32(request_id)`,
  decode: (row) => {
    const number = (column: string): number | null => (row[column] === null ? null : Number(row[column]));
    // Seam: the columns hold what was put there; a value that is none of its kind fails the comparison.
    const text = <Kind extends string>(column: string): Kind | null => row[column] as Kind | null;
    return {
      event: event({
        requestId: String(row.request_id),
        pool: String(row.pool),
        tenant: String(row.tenant),
        attempt: Number(row.attempt),
        arrivedAtMs: Number(row.arrived_at_ms),
        class: text('class'),
        outcome: text('outcome'),
        reason: text('reason'),
        dispatchedAtMs: number('dispatched_at_ms'),
        completedAtMs: number('completed_at_ms'),
        status: text('status'),
        costEstimate: number('cost_estimate'),
        cost: number('cost'),
        inputTokens: number('input_tokens'),
        outputTokens: number('output_tokens'),
        slots: number('slots'),
        originalRequestId: text('original_request_id'),
        retryAfterMs: number('retry_after_ms'),
        promoted: row.promoted === null ? null : Boolean(row.promoted),
        weight: number('weight'),
        queueDepth: number('queue_depth'),
        waitBudgetMs: number('wait_budget_ms'),
        gateway: text('gateway'),
        labels: text('labels'),
        tenantProvenance: text('tenant_provenance'),
        waitProvenance: text('wait_provenance'),
      }),
      deliveries: Number(row.deliveries),
      disputed: Object.entries(DISPUTABLE).flatMap(([column, wire]) =>
        row[column] !== row[`${column}_least`] ? [wire] : [],
      ),
    };
  },
});

describe('the table of requests', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
  });
  afterAll(() => opened.remove());

  it('merges events of a request to one row, in whatever order, number and inserts they come; disputes show', async () => {
    const expected = new Map<string, MergedRow[]>();
    await fc.assert(
      fc.asyncProperty(deliveries, async ({ order, inserts }) => {
        const pool = `pool-${expected.size}`;
        const sent = order.map(({ index, one }) =>
          event({
            requestId: String(index),
            pool,
            tenant: `t${index % 3}`,
            arrivedAtMs: 1_790_848_799_000 + index,
            ...one,
          }),
        );
        // No two inserts are the same rows: the table would take the second for the first one sent again.
        for (let part = 0; part < inserts; part++) {
          const rows = sent.filter((_, position) => position % inserts === part);
          await opened.store.insert(
            'intake',
            'requests',
            REQUEST_COLUMNS,
            rows.map((one) => tsvRow(requestCells(one, part))).join(''),
          );
        }
        expected.set(pool, expectedRows(sent));
        expect(await opened.store.query('reads', MERGED, { pool })).toEqual(expected.get(pool));
      }),
      { numRuns: 10 },
    );
    // The same once the engine has merged its parts by itself.
    await opened.store.command('reads', 'OPTIMIZE TABLE requests FINAL');
    for (const [pool, rows] of expected) {
      expect(await opened.store.query('reads', MERGED, { pool })).toEqual(rows);
    }
  });
});

/** What merging in the intake says, event by event. */
function expectedRows(sent: readonly DecisionEvent[]): MergedRow[] {
  const rows = new Map<number, { event: DecisionEvent; deliveries: number; disputed: Set<string> }>();
  for (const one of sent) {
    const row = rows.get(Number(one.requestId));
    if (row === undefined) {
      rows.set(Number(one.requestId), { event: one, deliveries: 1, disputed: new Set() });
      continue;
    }
    const { merged, conflicts } = mergeDecisions(row.event, one);
    row.event = merged;
    row.deliveries++;
    for (const field of conflicts) row.disputed.add(field);
  }
  const known: readonly string[] = Object.values(DISPUTABLE);
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([, row]) => ({ ...row, disputed: known.filter((field) => row.disputed.has(field)) }));
}
