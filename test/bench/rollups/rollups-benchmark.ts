import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Benchmark, type Print, UsageError } from '../benchmark.ts';
import { mebibytes, median, milliseconds, spread, thousands } from '../figures.ts';
import { runTask } from '../run-task.ts';
import { measureRollups, type RollupsFigures, type RollupsInput } from './rollups-task.ts';

const NAME = 'rollups';

const USAGE = `usage: npm run bench -- ${NAME} [OPTIONS]

  totals of 30 days of minutes, read from the minutes and then from the rollups, which must agree to the bit

  --tenants N  tenants in every minute (200)
  --days N     days from the first of a month on (45)
  --runs N     measured reads of each kind (5)`;

export const rollupsBenchmark: Benchmark = {
  name: NAME,
  summary: 'totals of a month from its rollups, beside the same from its minutes',
  usage: USAGE,
  run,
  // Seam: tasks get back the input that this file gave them.
  tasks: { measure: (input) => measureRollups(input as RollupsInput) },
};

async function run(args: readonly string[], print: Print): Promise<void> {
  const values = parse(args);
  const folder = await mkdtemp(join(tmpdir(), 'evenshare-bench-'));
  try {
    const input: RollupsInput = {
      storePath: join(folder, 'store'),
      tenants: whole('tenants', values.tenants),
      days: whole('days', values.days),
      runs: whole('runs', values.runs),
    };
    print(
      `\nrollups: ${thousands(input.tenants)} tenants in each minute of ${input.days} days (a fleet's month: 2,000 in 30)`,
    );
    show(await runTask<RollupsFigures>({ benchmark: NAME, name: 'measure' }, input), print);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function show(figures: RollupsFigures, print: Print): void {
  for (const { table, rows, bytes } of figures.tables) {
    print(`  ${table}: ${thousands(rows)} rows, ${mebibytes(bytes)}, ${(bytes / rows).toFixed(1)} bytes a row`);
  }
  print(
    `  rolling up all: ${milliseconds(figures.rollUpMs)} (${thousands(figures.minuteRows / (figures.rollUpMs / 1000))} rows/s); ` +
      `one hour again: ${milliseconds(figures.oneHourMs)}`,
  );
  for (const { name, minutesMs, rollupsMs } of figures.reads) {
    const ratio = median(minutesMs) / median(rollupsMs);
    print(
      `  ${name}: from minutes ${spread(minutesMs, milliseconds)}, from rollups ${spread(rollupsMs, milliseconds)}: ` +
        `${ratio.toFixed(1)} times faster`,
    );
  }
  print(`  peak memory ${mebibytes(figures.peakRssBytes)}`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        tenants: { type: 'string', default: '200' },
        days: { type: 'string', default: '45' },
        runs: { type: 'string', default: '5' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${option} takes a whole number from 1 on`);
  return value;
}
