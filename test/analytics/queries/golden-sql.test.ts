import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeholdersOf, readStatements } from './statements.ts';

const GOLDEN = join(import.meta.dirname, 'golden');
/** As they were before this run, so that a statement without one fails although Vitest writes it. */
const goldenFiles = readdirSync(GOLDEN);
const statements = await readStatements();

describe('every statement of the product', () => {
  it('has its golden SQL and rows, and none is left of one that is gone (written by this run; look at it and run again)', () => {
    const expected = statements.flatMap(({ name, query }) => [`${name}.sql`, ...(query ? [`${name}.rows.jsonl`] : [])]);
    expect(goldenFiles.sort()).toEqual(expected.sort());
  });

  it('has a name of its own', () => {
    expect(new Set(statements.map(({ name }) => name)).size).toBe(statements.length);
  });

  it.each(statements)('$name is what was agreed on', async ({ name, sql }) => {
    await expect(`${sql}\n`).toMatchFileSnapshot(join(GOLDEN, `${name}.sql`));
  });

  it.each(statements)('$name names each placeholder with one kind of type, and quotes none', ({ sql }) => {
    const kinds = placeholdersOf(sql).map(({ name, type }) => `${name}:${type.replace('UInt', 'Int')}`);
    const names = placeholdersOf(sql).map(({ name }) => name);
    expect(new Set(kinds).size).toBe(new Set(names).size);
    expect(sql).not.toMatch(/'\{\w+:/);
    expect(sql, 'nothing was left to fill in').not.toMatch(/undefined|\[object|NaN/);
  });
});
