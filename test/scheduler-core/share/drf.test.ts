import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dominantResourceFairness } from '../../../scheduler-core/share/index.ts';
import { naiveFilling } from './naive-filling.ts';

interface Vector {
  readonly capacities: readonly number[];
  readonly demands: readonly (readonly number[])[];
  readonly expectedTasks: readonly number[];
  readonly expectedDominantShares: readonly number[];
  readonly orderWhenTiesGoToTheFirst: readonly number[];
}

const vectors: { readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../../../../shared/vectors/drf.json', import.meta.url), 'utf8'),
);

describe('dominant resource fairness', () => {
  it.each(vectors.cases)('published: $demands of $capacities', (vector) => {
    const found = dominantResourceFairness(vector.capacities, vector.demands);
    expect(found.tasks).toEqual(vector.expectedTasks);
    expect(found.order).toEqual(vector.orderWhenTiesGoToTheFirst);
    for (const [tenant, share] of vector.expectedDominantShares.entries()) {
      expect(found.dominantShares[tenant]).toBeCloseTo(share, 12);
    }
  });

  it.each([
    { why: 'nobody', capacities: [4], demands: [], tasks: [], order: [] },
    { why: 'nothing to share', capacities: [0, 0], demands: [[1, 1]], tasks: [0], order: [] },
    { why: 'no resources', capacities: [], demands: [[]], tasks: [0], order: [] },
    {
      why: 'who needs what there is none of gets nothing, the others share',
      capacities: [4, 0],
      demands: [
        [1, 1],
        [1, 0],
      ],
      tasks: [0, 4],
      order: [1, 1, 1, 1],
    },
    {
      why: 'who needs nothing of anything is given nothing',
      capacities: [2],
      demands: [[0], [1]],
      tasks: [0, 2],
      order: [1, 1],
    },
    {
      why: 'who does not fit is out, the others go on',
      capacities: [10],
      demands: [[4], [1]],
      tasks: [2, 2],
      order: [0, 1, 1, 0],
      maxTasks: [5, 2],
    },
    {
      why: 'weight 2 to 1',
      capacities: [9],
      demands: [[1], [1]],
      weights: [2, 1],
      tasks: [6, 3],
      order: [0, 1, 0, 0, 1, 0, 0, 1, 0],
    },
    {
      why: 'weight 0 takes what is left over',
      capacities: [9],
      demands: [[1], [2], [1]],
      weights: [0, 1, 0],
      tasks: [1, 4, 0],
      order: [1, 1, 1, 1, 0],
    },
    {
      why: 'no more than it wants',
      capacities: [9],
      demands: [[1], [1]],
      maxTasks: [2.5, 0],
      tasks: [2, 0],
      order: [0, 0],
    },
    {
      why: 'three tenths hold three, though their sum rounds to more',
      capacities: [0.3],
      demands: [[0.1]],
      tasks: [3],
      order: [0, 0, 0],
    },
  ])('$why', ({ capacities, demands, tasks, order, why: _, ...options }) => {
    expect(dominantResourceFairness(capacities, demands, options)).toMatchObject({ tasks, order });
  });

  it('gives new capacity to whoever is behind, and takes nothing back when capacity leaves', () => {
    const demands = [
      [1, 0],
      [1, 0],
    ];
    const first = dominantResourceFairness([4, 1], demands, { maxTasks: [4, 1] });
    expect(first.tasks).toEqual([3, 1]);
    const grown = dominantResourceFairness([7, 1], demands, { initialTasks: first.tasks });
    expect(grown).toMatchObject({ tasks: [4, 3], order: [1, 1, 0] });
    const shrunk = dominantResourceFairness([3, 1], demands, { initialTasks: grown.tasks });
    expect(shrunk).toMatchObject({ tasks: [4, 3], order: [] });
    expect(shrunk.dominantShares[0]).toBeCloseTo(4 / 3, 12);
  });

  it.each([
    { why: 'a negative capacity', capacities: [-1], demands: [[1]], options: {} },
    { why: 'a boundless demand', capacities: [1], demands: [[Number.POSITIVE_INFINITY]], options: {} },
    { why: 'a row too short', capacities: [1, 1], demands: [[1]], options: {} },
    { why: 'a weight that is no number', capacities: [1], demands: [[1]], options: { weights: [Number.NaN] } },
    { why: 'half a running task', capacities: [1], demands: [[1]], options: { initialTasks: [0.5] } },
    { why: 'a negative limit', capacities: [1], demands: [[1]], options: { maxTasks: [-1] } },
  ])('refuses $why', ({ capacities, demands, options }) => {
    expect(() => dominantResourceFairness(capacities, demands, options)).toThrow(
      expect.objectContaining({ code: 'EVS_INVARIANT' }),
    );
  });
});

const amount = fc.integer({ min: 0, max: 6 });
const problem = fc.integer({ min: 1, max: 3 }).chain((resources) =>
  fc.record({
    capacities: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: resources, maxLength: resources }),
    tenants: fc.array(
      fc.record({
        need: fc.array(amount, { minLength: resources, maxLength: resources }),
        weight: fc.integer({ min: 0, max: 4 }),
        most: fc.option(fc.nat({ max: 12 })),
        running: fc.constantFrom(0, 0, 0, 1, 4),
      }),
      { maxLength: 6 },
    ),
  }),
);

describe('dominant resource fairness of any demands', () => {
  it('gives, task by task, to whom a scan of all tenants in fractions finds', () => {
    fc.assert(
      fc.property(problem, ({ capacities, tenants }) => {
        const found = dominantResourceFairness(
          capacities,
          tenants.map(({ need }) => need),
          {
            weights: tenants.map(({ weight }) => weight),
            maxTasks: tenants.map(({ most }) => most ?? Number.POSITIVE_INFINITY),
            initialTasks: tenants.map(({ running }) => running),
          },
        );
        expect(found.order).toEqual(naiveFilling(capacities, tenants));
      }),
      { numRuns: 3000 },
    );
  });

  it('gives everybody its n-th of something, to a task, leaves nothing usable idle, and splits no more than there is', () => {
    const positive = fc.integer({ min: 1, max: 9 });
    const needs = fc.array(fc.tuple(positive, positive), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 })),
        needs,
        (capacities, demands) => {
          const { tasks, dominantShares } = dominantResourceFairness(capacities, demands);
          const used = [0, 1].map((resource) =>
            demands.reduce((sum, need, tenant) => sum + (need[resource] ?? 0) * (tasks[tenant] ?? 0), 0),
          );
          for (const [resource, capacity] of capacities.entries()) expect(used[resource]).toBeLessThanOrEqual(capacity);
          for (const [tenant, need] of demands.entries()) {
            const fits = need.every((part, resource) => part + (used[resource] ?? 0) <= (capacities[resource] ?? 0));
            expect(fits, `tenant ${tenant} could run another task`).toBe(false);
            // Sharing incentive: an n-th of something, less what one task of each rounds away.
            const grains = demands.map((each) => Math.max(...each.map((part, r) => part / (capacities[r] ?? 0))));
            const atLeast = (1 - grains.reduce((sum, grain) => sum + grain, 0)) / demands.length;
            expect(dominantShares[tenant]).toBeGreaterThanOrEqual(atLeast - 1e-9);
          }
          expect(Math.max(...dominantShares)).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('gains nobody anything to ask for more per task than it needs', () => {
    const positive = fc.integer({ min: 1, max: 5 });
    const two = fc.tuple(fc.tuple(positive, positive), fc.tuple(positive, positive));
    fc.assert(
      fc.property(
        two,
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 0, max: 3 }),
        ([own, other], more, alsoMore) => {
          const capacities = [60, 60];
          const honest = dominantResourceFairness(capacities, [own, other]).tasks[0] ?? 0;
          const lied = dominantResourceFairness(capacities, [[own[0] + more, own[1] + alsoMore], other]).tasks[0] ?? 0;
          // In whole tasks a lie may move the last of them; it gains nothing beyond.
          expect(lied).toBeLessThanOrEqual(honest + 1);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is unfair as served in the order of arrival, which lets the first take all', () => {
    const demands = [
      [1, 4],
      [3, 1],
    ];
    const { tasks } = dominantResourceFairness([9, 18], demands);
    const firstComeFirstServed = [4, 1];
    expect(tasks[1]).toBeGreaterThan(firstComeFirstServed[1] ?? 0);
  });
});
