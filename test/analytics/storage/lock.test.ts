import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineQuery, openClickHouse, type Store } from '../../../analytics/storage/index.ts';
import { bundleProgram, startProgram } from '../../support/child-program.ts';

const ONE = defineQuery<Record<string, never>, number>({
  name: 'one',
  sql: 'SELECT 1 AS one',
  decode: (row) => Number(row.one),
});

describe('a data folder belongs to one process', () => {
  let script: string;
  let path: string;
  let store: Store | null = null;
  beforeAll(async () => {
    script = await bundleProgram(join(import.meta.dirname, 'children/hold-store.ts'));
    path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
  });
  afterAll(async () => {
    await store?.close();
    await rm(path, { recursive: true, force: true });
  });

  it('a second one is told which process holds it, and gets it once that one has ended', async () => {
    const holder = startProgram(script, [path]);
    expect(await holder.nextLine()).toBe('held');
    const refused: unknown = await openClickHouse({ kind: 'embedded', path }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'EVS_STORE_LOCKED', retryable: false });
    expect(String(refused)).toContain(`(process ${holder.pid})`);
    expect(String(refused)).toContain('--data-dir');
    await holder.finish();
    expect(existsSync(join(path, 'evenshare.pid')), 'the name of who held it goes with it').toBe(false);

    // One that is cut off leaves its name behind; what excludes is the engine's lock, and that went with the process.
    const killed = startProgram(script, [path]);
    expect(await killed.nextLine()).toBe('held');
    await killed.kill();
    store = await openClickHouse({ kind: 'embedded', path });
    expect(await readFile(join(path, 'evenshare.pid'), 'utf8')).toBe(`${process.pid}\n`);
    expect(await store.query('reads', ONE, {})).toEqual([1]);
  });
});
