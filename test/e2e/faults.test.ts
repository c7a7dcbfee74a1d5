import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resultLines } from '../faults/result-table.ts';
import { runFaults } from '../faults/run-faults.ts';
import { bundleProgram } from '../support/child-program.ts';
import { startKafka } from '../support/kafka.ts';

// The short form of `npm run test:faults`: every kind of fault once or so, with real processes and a real broker.

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'dist/cli/main.js');
/** Of the order and the lengths; what the machine makes of them is another matter. */
const SEED = 20_261_130;

test('nothing is lost and nothing counted twice, whatever is done to processes, broker and store', {
  timeout: 240_000,
}, async (context) => {
  if (!existsSync(PROGRAM)) throw new Error('dist/cli/main.js is missing: run "npm run build" first');
  const broker = await startKafka(context);
  const folder = await mkdtemp(join(tmpdir(), 'evenshare-faults-'));
  const lines: string[] = [];
  try {
    const result = await runFaults({
      seed: SEED,
      kills: 4,
      rounds: 1,
      brevity: 0.3,
      longOutageMs: 0,
      requestsPerS: 300,
      processes: 2,
      broker,
      program: PROGRAM,
      storeProgram: await bundleProgram(join(ROOT, 'test/support/clickhouse-http/program.ts')),
      clockPreload: join(ROOT, 'test/faults/shift-clock.mjs'),
      folder,
      print: (line) => lines.push(line),
    });
    const said = [...lines, ...resultLines(result, SEED)].join('\n');
    expect({ lost: result.lost, double: result.double, wrong: result.wrong }, said).toEqual({
      lost: 0,
      double: 0,
      wrong: 0,
    });
    expect(result.stored, said).toBe(result.expectedStored);
    expect(result.letters, said).toBe(result.expectedLetters);
    expect(result.kills, said).toBeGreaterThanOrEqual(4);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
