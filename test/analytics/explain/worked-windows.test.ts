import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ExplainAnswer, explainAt } from '../../../analytics/explain/explain-at.ts';
import { createStoreReader } from '../../../analytics/store-reader.ts';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { describeExplanation } from '../../../cli/commands/explain-text.ts';
import {
  declareSlots,
  event,
  insertEvents,
  type TemporaryStore,
  temporaryStore,
} from '../../support/temporary-store.ts';

interface VectorCase {
  readonly case: string;
  readonly slots: number;
  readonly events: readonly {
    readonly request_id: string;
    readonly tenant: string;
    readonly arrived_at: number;
    readonly dispatched_at?: number;
    readonly completed_at?: number;
    readonly outcome?: 'rejected';
    readonly reason?: 'queue_full' | 'quota';
    readonly cost?: number;
    readonly cost_estimate?: number;
  }[];
}

const vectors: { readonly cases: readonly VectorCase[] } = JSON.parse(
  readFileSync(new URL('../../../../shared/vectors/windows.json', import.meta.url), 'utf8'),
);
const START_MS = Date.parse('2026-10-01T10:00:00Z');
const WINDOW_MS = 60_000;

describe('the worked windows of the definitions, explained', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
    for (const [index, vector] of vectors.cases.entries()) {
      const pool = `case-${index}`;
      await declareSlots(opened.store, pool, vector.slots);
      await insertEvents(
        opened.store,
        vector.events.map((one) =>
          event({
            pool,
            requestId: one.request_id,
            tenant: one.tenant,
            arrivedAtMs: one.arrived_at,
            dispatchedAtMs: one.dispatched_at ?? null,
            completedAtMs: one.completed_at ?? null,
            outcome: one.outcome ?? null,
            reason: one.reason ?? null,
            cost: one.cost ?? null,
            costEstimate: one.cost_estimate ?? null,
          }),
        ),
      );
      const toMs = START_MS + 2 * WINDOW_MS;
      await computeRange(opened.store, {
        pool,
        windowMs: WINDOW_MS,
        fromMs: START_MS,
        toMs,
        watermarkMs: toMs,
        closedToMs: Number.POSITIVE_INFINITY,
        options: DEFAULT_POOL_OPTIONS,
        computation: 1,
      });
    }
  });
  afterAll(() => opened.remove());

  function explain(pool: string, atMs: number, tenant: string | null = null): Promise<ExplainAnswer> {
    const options = { windowMs: WINDOW_MS, poolOptions: () => DEFAULT_POOL_OPTIONS };
    return explainAt(createStoreReader(opened.store, options), { pool, atMs, windowMs: WINDOW_MS, tenant });
  }

  async function textOf(pool: string, atMs: number, tenant: string | null = null): Promise<string> {
    const answer = await explain(pool, atMs, tenant);
    if (answer.kind !== 'explained') throw new Error(answer.kind);
    return `\n${describeExplanation(answer.explanation)}`;
  }

  test('a late burst and the wait it causes', async () => {
    expect(await textOf('case-0', START_MS)).toMatchInlineSnapshot(`
      "
      At 10:00 UTC on 2026-10-01 pool case-0 was fair: its tenants asked for 4.5 requests and it could serve 3.5, and nobody was short of what it was entitled to.

      Who was entitled to what (costs in requests)
      tenant  weight  verdict  demand  entitled  served  share  overdue  beyond  taken from others
      A            1  fair          3       2.6     2.5  0.952      0.2     0.2                  0
      B            1  fair        1.5       0.9       1  1.143      0.2     0.3                  0

      How the capacity of the window, 3.5 requests (measured), is shared
      The verdicts go by the same filling second by second.
      The capacity is shared by weight up to 2 requests per unit of weight: 1 asked for less than that and is entitled to all of it and 1 asked for more and is entitled to that much.
      step  who  weight  asked  met at level  share  capacity left
         1  B         1    1.5           1.5    1.5              2
         2  A         1      3       not met      2              0
      "
    `);
    expect(await textOf('case-0', START_MS + WINDOW_MS + 59_999)).toMatchInlineSnapshot(`
      "
      At 10:01 UTC on 2026-10-01 pool case-0 was fair: its tenants asked for 1 requests and it could serve 4.5 (at times they asked for more at once), and nobody was short of what it was entitled to.

      Who was entitled to what (costs in requests)
      tenant  weight  verdict  demand  entitled  served  share  overdue  beyond  taken from others
      A            1  fair        0.5       0.1     0.5      4        0     0.2                  0
      B            1  fair        0.5       0.9       1  1.143      0.2       0                  0

      How the capacity of the window, 4.5 requests (measured), is shared
      The verdicts go by the same filling second by second.
      The capacity covers every demand: everybody is entitled to what it asked for.
      step  who  weight  asked  met at level  share  capacity left
         1  A         1    0.5           0.5    0.5              4
         2  B         1    0.5           0.5    0.5            3.5
      "
    `);
  });

  test('a flood served first come first served', async () => {
    expect(await textOf('case-1', START_MS)).toMatchInlineSnapshot(`
      "
      At 10:00 UTC on 2026-10-01 pool case-1 was unfair: V got 0 of the 6 requests it was entitled to (0%); at the worst moment 6 was overdue.
      H was served 6.5 beyond its share, which is 100% of the shortfall.

      Who was entitled to what (costs in requests)
      tenant  weight  verdict  demand  entitled  served  share  overdue  beyond  taken from others
      V            1  short         6         6       0      0        6       0                  0
      H            1  over        100      53.5      60  1.121        0     6.5                  6
      Q            1  capped        0         0       0      –        0       0                  0
      R            1  fair          1       0.5       0      0      0.5       0                  0

      How the capacity of the window, 60 requests (measured), is shared
      The verdicts go by the same filling second by second.
      The capacity is shared by weight up to 53 requests per unit of weight: 2 asked for less than that and are entitled to all of it and 1 asked for more and is entitled to that much.
      step  who  weight  asked  met at level  share  capacity left
         1  R         1      1             1      1             59
         2  V         1      6             6      6             53
         3  H         1    100       not met     53              0

      What the shortfalls are put down to (costs in requests)
      short  overdue  put down to
      V            6  100% H
      "
    `);
    expect(await textOf('case-1', START_MS, 'V')).toMatchInlineSnapshot(`
      "
      At 10:00 UTC on 2026-10-01 pool case-1 was unfair.
      V got 0 of the 6 requests it was entitled to (0%); at the worst moment 6 was overdue.
      H was served 6.5 beyond its share, which is 100% of the shortfall.

      Who was entitled to what (costs in requests)
      tenant  weight  verdict  demand  entitled  served  share  overdue  beyond  taken from others
      V            1  short         6         6       0      0        6       0                  0
      H            1  over        100      53.5      60  1.121        0     6.5                  6

      How the capacity of the window, 60 requests (measured), is shared
      The verdicts go by the same filling second by second.
      The capacity is shared by weight up to 53 requests per unit of weight: 2 asked for less than that and are entitled to all of it and 1 asked for more and is entitled to that much.
      step  who  weight  asked  met at level  share  capacity left
         1  R         1      1             1      1             59
         2  V         1      6             6      6             53
         3  H         1    100       not met     53              0

      What the shortfalls are put down to (costs in requests)
      short  overdue  put down to
      V            6  100% H
      "
    `);
  });
});
