import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyPolicy, listPolicies, readPolicies, readPolicyAt, readPolicySource } from '../../analytics/policies.ts';
import { POLICIES_IN_RANGE } from '../../analytics/queries/policies.ts';
import { tsvRow } from '../../analytics/storage/index.ts';
import { policyTerms } from '../../analytics/window/policy-terms.ts';
import { type Policy, parsePolicy } from '../../scheduler-core/index.ts';
import { type TemporaryStore, temporaryStore } from '../support/temporary-store.ts';
import { HOSTILE_NAMES } from './window/arbitrary-terms.ts';

const WINDOW_MS = 60_000;
const HOUR_MS = 3_600_000;
let opened: TemporaryStore;
beforeAll(async () => {
  opened = await temporaryStore();
});
afterAll(() => opened.remove());

interface Given {
  readonly pool?: string;
  readonly text: string;
  readonly atMs: number;
  readonly nowMs?: number;
  readonly dryRun?: boolean;
  readonly policy?: Policy;
}

const apply = ({ pool = 'p', text, atMs, nowMs = 10 * HOUR_MS, dryRun = false, policy }: Given) =>
  applyPolicy(opened.store, {
    pool,
    text,
    policy: policy ?? parsePolicy(text, { name: 'x.yaml', allowsZeroWeight: true }),
    atMs,
    nowMs,
    windowMs: WINDOW_MS,
    dryRun,
  });
const weightAt = async (pool: string, atMs: number) =>
  (await readPolicyAt(opened.store, pool, atMs))?.terms.tenants.get('a')?.weight ?? null;

describe('policies in the store', () => {
  it('hold from their moment on, in whatever order they were applied', async () => {
    const pool = 'order';
    await apply({ pool, text: 'weights: { a: 3 }', atMs: 300 });
    const middle = await apply({ pool, text: 'weights: { a: 2 }', atMs: 200 });
    expect(middle).toMatchObject({ outcome: 'applied', before: null, untilMs: 300 });
    const first = await apply({ pool, text: 'weights: { a: 0 }', atMs: -100 });
    expect(first).toMatchObject({ untilMs: 200 });
    const found = await Promise.all([-101, -100, 199, 200, 299, 300, 9e12].map((atMs) => weightAt(pool, atMs)));
    expect(found).toEqual([null, 0, 0, 2, 2, 3, 3]);
    expect((await readPolicies(opened.store, pool)).map(({ atMs }) => atMs)).toEqual([-100, 200, 300]);
    expect((await listPolicies(opened.store, pool)).map(({ tenants, groups }) => [tenants, groups])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
  });

  it('are read of a range with the one that holds at its start, and none that does not matter to it', async () => {
    const pool = 'ranges';
    for (const atMs of [-50, 100, 200, 300]) await apply({ pool, text: `weights: { a: ${atMs + 100} }`, atMs });
    const startsIn = async (fromMs: number, toMs: number) =>
      (await opened.store.query('reads', POLICIES_IN_RANGE, { pool, from_ms: fromMs, to_ms: toMs })).map(
        ({ atMs }) => atMs,
      );
    expect(await startsIn(-100, -50)).toEqual([]);
    expect(await startsIn(-100, -49)).toEqual([-50]);
    expect(await startsIn(-50, 100)).toEqual([-50]);
    expect(await startsIn(150, 300)).toEqual([100, 200]);
    expect(await startsIn(200, 301)).toEqual([200, 300]);
    expect(await startsIn(1_000, 2_000)).toEqual([300]);
  });

  it('applied again from the same moment change nothing; another text, name or meaning replaces them', async () => {
    const pool = 'again';
    const text = 'weights: { a: 2, b: 1 }';
    expect(await apply({ pool, text, atMs: 100 })).toMatchObject({ outcome: 'applied' });
    const [stored] = await listPolicies(opened.store, pool);
    expect(await apply({ pool, text, atMs: 100, nowMs: 11 * HOUR_MS })).toMatchObject({ outcome: 'unchanged' });
    expect(await listPolicies(opened.store, pool)).toEqual([stored]);
    const reworded = await apply({ pool, text: `# b, then a\nweights: { b: 1, a: 2 }`, atMs: 100 });
    expect(reworded).toMatchObject({ outcome: 'applied', digest: stored?.digest, windowsToRecompute: 0 });
    expect(reworded.changes).toEqual({ defaultTenant: null, tenants: [], groups: [], classes: [] });
    expect(await readPolicySource(opened.store, pool, 100)).toContain('# b, then a');
    const renamed = parsePolicy(text, { name: 'other.yaml' });
    expect(await apply({ pool, text, atMs: 100, policy: renamed })).toMatchObject({ outcome: 'applied' });
    expect((await listPolicies(opened.store, pool)).map(({ name }) => name)).toEqual(['other.yaml']);
  });

  it('replace one another although the clock went back', async () => {
    const pool = 'clock';
    for (const weight of [1, 2, 1, 3]) {
      await apply({ pool, text: `weights: { a: ${weight} }`, atMs: 100, nowMs: (10 - weight) * HOUR_MS });
      expect(await weightAt(pool, 100)).toBe(weight);
    }
    expect(await readPolicies(opened.store, pool)).toHaveLength(1);
  });

  it('are not stored by a dry run, which says what would be', async () => {
    const pool = 'dry';
    const preview = await apply({ pool, text: 'weights: { a: 2 }', atMs: 100, dryRun: true });
    expect(await listPolicies(opened.store, pool)).toEqual([]);
    expect(await apply({ pool, text: 'weights: { a: 2 }', atMs: 100 })).toEqual(preview);
  });

  it('say how many stored windows from then on are as computed before', async () => {
    const pool = 'windows';
    const columns = ['pool', 'window_ms', 'start_ms', 'state', 'computation'];
    const starts = [0, 1, 2, 3, 4].map((index) => HOUR_MS + index * WINDOW_MS);
    const rows = [...starts, HOUR_MS].map((startMs, index) => tsvRow([pool, WINDOW_MS, startMs, 'final', index]));
    await opened.store.insert('jobs', 'windows', columns, rows.join(''));
    await opened.store.insert('jobs', 'windows', columns, tsvRow([pool, 1_000, HOUR_MS, 'final', 1]));
    const counts = [];
    for (const atMs of [0, HOUR_MS, HOUR_MS + WINDOW_MS - 1, HOUR_MS + WINDOW_MS, HOUR_MS + 5 * WINDOW_MS]) {
      counts.push((await apply({ pool, text: 'weights: { a: 2 }', atMs, dryRun: true })).windowsToRecompute);
    }
    expect(counts).toEqual([5, 5, 5, 4, 0]);
    await apply({ pool, text: 'weights: { a: 2 }', atMs: 0 });
    expect((await apply({ pool, text: 'weights: { a: 2 }', atMs: HOUR_MS })).windowsToRecompute).toBe(0);
    expect((await apply({ pool, text: 'weights: { a: 1 }', atMs: HOUR_MS })).windowsToRecompute).toBe(5);
  });

  it.each(HOSTILE_NAMES.filter((name) => name !== '\ud800'))(
    '%j is a pool, a tenant, a group and a name',
    async (name) => {
      const policy = parsePolicy(
        new Map<string, unknown>([
          ['name', name],
          ['tenants', [{ name, weight: 2, group: name, class: name, quota: { rate_per_s: 0, burst: 0.5 } }]],
          ['groups', new Map([[name, { weight: 0 }]])],
        ]),
      );
      const text = `# ${name}\n\\N\t'`;
      await apply({ pool: name, text, atMs: 100, policy });
      const [stored] = await readPolicies(opened.store, name);
      expect(stored).toMatchObject({ name, terms: policyTerms(policy) });
      expect(await readPolicySource(opened.store, name, 100)).toBe(text);
      expect((await listPolicies(opened.store, name)).map(({ pool }) => pool)).toEqual([name]);
      expect(await apply({ pool: name, text, atMs: 100, policy })).toMatchObject({ outcome: 'unchanged' });
    },
  );

  it('keep tenants whose names are no text in UTF-8', async () => {
    const policy = parsePolicy({ weights: { '\ud800': 2, '\udbff': 3 } });
    await apply({ pool: 'halves', text: '{}', atMs: 0, policy });
    const [stored] = await readPolicies(opened.store, 'halves');
    expect(stored?.terms).toEqual(policyTerms(policy));
  });

  it('of many tenants are kept whole', async () => {
    const policy = parsePolicy({
      weights: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`t${i}`, 1 / (i + 1)])),
    });
    await apply({ pool: 'many', text: 'x'.repeat(1_000_000), atMs: 0, policy });
    const [stored] = await readPolicies(opened.store, 'many');
    expect(stored?.terms).toEqual(policyTerms(policy));
    expect((await readPolicySource(opened.store, 'many', 0))?.length).toBe(1_000_000);
  });
});
