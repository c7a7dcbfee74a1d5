import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HOUR_MS } from '../../../scheduler-core/kernel/index.ts';
import { type Benchmark, type Print, UsageError } from '../benchmark.ts';
import { mebibytes, median, milliseconds, spread, thousands } from '../figures.ts';
import { runTask } from '../run-task.ts';
import { writeLog } from './generate-requests.ts';
import { type LoadFigures, loadByEngine, loadByEvenshare } from './load-tasks.ts';

const NAME = 'ingest';
const TENANTS = 5_000;

const USAGE = `usage: npm run bench -- ${NAME} [OPTIONS]

  A log file into a new store, beside the engine's own INSERT ... SELECT FROM file().

  --events N    events in the file (1000000)
  --growth N    also load a file N times as large, to see whether memory grows
  --runs N      measured runs of each side, alternating (3)`;

export const ingestBenchmark: Benchmark = {
  name: NAME,
  summary: 'events per second from a file into the store',
  usage: USAGE,
  run,
  // Seam: tasks get back the input that this file gave them.
  tasks: {
    load: (input) => loadByEvenshare(input as { file: string; storePath: string }),
    engine: (input) => loadByEngine(input as { file: string; storePath: string }),
  },
};

async function run(args: readonly string[], print: Print): Promise<void> {
  const values = parse(args);
  const folder = await mkdtemp(join(tmpdir(), 'evenshare-bench-'));
  try {
    const runs = whole('runs', values.runs);
    const events = whole('events', values.events);
    await benchLoad(folder, { events, runs }, print);
    if (values.growth !== undefined) await benchGrowth(folder, events * whole('growth', values.growth), print);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        events: { type: 'string', default: '1000000' },
        growth: { type: 'string' },
        runs: { type: 'string', default: '3' },
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

async function writeLoadFile(folder: string, events: number, print: Print): Promise<string> {
  const file = join(folder, 'events.ndjson');
  await writeLog(file, {
    seed: 1,
    requests: events,
    tenants: TENANTS,
    fromMs: Date.UTC(2026, 2, 2, 9, 0, 0),
    spanMs: HOUR_MS,
    disorderMs: 3_000,
  });
  const { size } = await stat(file);
  print(`  file: ${thousands(events)} events, ${mebibytes(size)}, ${thousands(size / events)} bytes an event`);
  return file;
}

async function benchLoad(
  folder: string,
  { events, runs }: { readonly events: number; readonly runs: number },
  print: Print,
): Promise<void> {
  print('\nload: a log file into a new store');
  const file = await writeLoadFile(folder, events, print);
  const input = { file, storePath: join(folder, 'load') };
  const loads: LoadFigures[] = [];
  const engines: LoadFigures[] = [];
  for (let index = 0; index < runs; index++) {
    loads.push(await runTask({ benchmark: NAME, name: 'load' }, input));
    engines.push(await runTask({ benchmark: NAME, name: 'engine' }, input));
  }
  printLoad('evenshare load', events, loads, print);
  printLoad("engine's own INSERT", events, engines, print);
  const ratio = median(engines.map((one) => one.elapsedMs)) / median(loads.map((one) => one.elapsedMs));
  print(`  ratio: load reaches ${ratio.toFixed(2)} of the engine's events/s (wanted: at least 0.25)`);
}

function printLoad(name: string, events: number, figures: readonly LoadFigures[], print: Print): void {
  const rate = figures.map((one) => (events / one.elapsedMs) * 1000);
  const peak = Math.max(...figures.map((one) => one.peakRssBytes));
  const stall = Math.max(...figures.map((one) => one.longestStallMs));
  print(
    `  ${name}: ${spread(rate, thousands)} events/s, ${spread(
      figures.map((one) => one.elapsedMs),
      milliseconds,
    )}, ` +
      `peak memory ${mebibytes(peak)}, longest stall of the event loop ${milliseconds(stall)}, ` +
      `${thousands(figures[0]?.requests ?? 0)} rows in ${figures[0]?.parts} parts`,
  );
}

async function benchGrowth(folder: string, events: number, print: Print): Promise<void> {
  const file = await writeLoadFile(folder, events, print);
  const input = { file, storePath: join(folder, 'load') };
  printLoad('evenshare load', events, [await runTask({ benchmark: NAME, name: 'load' }, input)], print);
}
