import { afterAll, describe, expect, it } from 'vitest';
import { markdown, measureVariant, type Row, VARIANTS } from './unmeasured.ts';

const SEEDS = [1, 2, 3];
const rows: Row[] = [];

// `npx vitest run test/scheduler-core/simulate/unmeasured.test.ts` prints the table that stands in THEORY.md.
afterAll(() => console.info(`seeds ${SEEDS.join(', ')}, means\n${markdown(rows)}`));

function rowOf(group: string, name: string): Row {
  const variant = VARIANTS.find((each) => each.group === group && each.name.startsWith(name));
  if (variant === undefined) throw new Error(`there is no variant ${name}`);
  const { row } = measureVariant(variant, SEEDS);
  rows.push(row);
  return row;
}
const rest = (group: string): Row[] =>
  VARIANTS.filter((each) => each.group === group).map(({ name }) => rowOf(group, name));

describe('deficit round robin under the noisy neighbour', () => {
  it('does not mind estimates that are wrong by chance, up to ±100%', () => {
    for (const row of rest('cost-estimate error').filter(({ name }) => name.startsWith('±'))) {
      expect(row.jain, row.name).toBeGreaterThan(0.995);
      expect(row.inShareP99Ms, row.name).toBeLessThan(30);
    }
  });

  it('gives a tenant that says half of what it costs no more than others once costs are settled, and more where not', () => {
    const honest = rows.find(({ name }) => name.endsWith('too, settled'));
    const cheated = rows.find(({ name }) => name.endsWith('too, not settled'));
    expect(honest?.jain).toBeGreaterThan(0.995);
    expect((cheated?.heavyRps ?? 0) / (honest?.heavyRps ?? 1)).toBeGreaterThan(1.2);
  });

  it('keeps to weights of 2:1 and 4:1 among two that flood', () => {
    for (const row of rest('weights')) {
      expect(row.jain, row.name).toBeGreaterThan(0.995);
      expect(row.minShare, row.name).toBeGreaterThan(0.95);
    }
  });

  it('holds against clients that come back, where fifo gets worse', () => {
    const [fifo, drr] = rest('retrying clients');
    expect(drr?.jain).toBeGreaterThan(0.99);
    expect(fifo?.jain).toBeLessThan(0.8);
  });

  it('makes early demand wait although it is within its share on average', () => {
    const [steady, early, limited] = rest('demand in the first two seconds');
    expect(early?.inShareP99Ms).toBeGreaterThan(10 * (steady?.inShareP99Ms ?? 0));
    expect(limited?.inShareP99Ms).toBeLessThan(early?.inShareP99Ms ?? 0);
  });

  it('is as fair with a quantum below, at and above the mean cost; waits grow with a large one', () => {
    const quanta = rest('quantum, mean cost 10 ms');
    for (const row of quanta) expect(row.jain, row.name).toBeGreaterThan(0.995);
    expect(quanta.at(-1)?.inShareP99Ms).toBeGreaterThan(quanta[0]?.inShareP99Ms ?? 0);
  });
});
