import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Benchmark, type Print, UsageError } from '../benchmark.ts';
import { milliseconds, thousands } from '../figures.ts';
import { countRequests } from '../ingest/store-figures.ts';
import { runTask } from '../run-task.ts';
import { type PostFigures, type PostInput, postEvents } from './post-task.ts';
import { startIntake } from './start-intake.ts';

const NAME = 'http';
const WANTED_RPS = 3_000;

const USAGE = `usage: npm run bench -- ${NAME} [OPTIONS]

  POST /v1/events with one event each, answered once it is stored: the real server over the embedded store in
  this process, the sender in another, both on this machine. First as fast as the connections get
  answers, then at a fixed rate, each request's time counted from when it was due.

  --requests N      requests of each part (30000)
  --connections N   connections, one request at a time on each (600)
  --rate N          requests a second of the second part (${WANTED_RPS})`;

export const httpBenchmark: Benchmark = {
  name: NAME,
  summary: 'durable single-event posts per second, and their latency',
  usage: USAGE,
  run,
  // Seam: a task gets back the input that this file gave it.
  tasks: { post: (input) => postEvents(input as PostInput) },
};

async function run(args: readonly string[], print: Print): Promise<void> {
  const { requests, connections, rate } = parse(args);
  const folder = await mkdtemp(join(tmpdir(), 'evenshare-bench-'));
  const intake = await startIntake(join(folder, 'store'));
  try {
    const post = (prefix: string, rateRps: number | null): Promise<PostFigures> =>
      runTask<PostFigures>(
        { benchmark: NAME, name: 'post' },
        { port: intake.port, connections, requests, rateRps, prefix },
      );
    await runTask(
      { benchmark: NAME, name: 'post' },
      { port: intake.port, connections: 50, requests: 2_000, rateRps: null, prefix: 'warm' },
    );
    const cpuBefore = process.cpuUsage();
    const fast = await post('fast', null);
    show(print, `as fast as ${connections} connections get answers`, requests, fast);
    const partsAfterFast = (await countRequests(intake.store)).parts;
    const paced = await post('paced', rate);
    show(print, `at ${thousands(rate)} requests/s`, requests, paced);
    const { user, system } = process.cpuUsage(cpuBefore);
    const { requests: stored, parts } = await countRequests(intake.store);
    const acknowledged = 2_000 + fast.accepted + paced.accepted;
    print(
      `  acknowledged ${thousands(acknowledged)}, stored rows ${thousands(stored)}, inserts ${thousands(intake.inserts())}`,
    );
    print(`  active parts: ${partsAfterFast} after the first part, ${parts} at the end, at most ${intake.mostParts()}`);
    const perRequestUs = (user + system) / (2 * requests);
    print(`  the server's processor time, the engine's threads included: ${thousands(perRequestUs)} µs a request`);
    print(`  load of the machine over the last minute: ${loadavg()[0]?.toFixed(1)}`);
    print(`  wanted: at least ${thousands(WANTED_RPS)} requests/s, p99 under 400 ms`);
  } finally {
    await intake.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function show(print: Print, name: string, requests: number, figures: PostFigures): void {
  const { p50, p99, max } = figures.latencyMs;
  const refused = Object.entries(figures.refused).map(([status, count]) => `, ${thousands(count)} answered ${status}`);
  print(
    `  ${name}: ${thousands((requests / figures.elapsedMs) * 1000)} requests/s, latency p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}, max ${milliseconds(max)}${refused.join('')}`,
  );
}

function parse(args: readonly string[]) {
  const whole = (option: string, text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${option} takes a whole number from 1 on`);
    return value;
  };
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        requests: { type: 'string', default: '30000' },
        connections: { type: 'string', default: '600' },
        rate: { type: 'string', default: String(WANTED_RPS) },
      },
    });
    return {
      requests: whole('requests', values.requests),
      connections: whole('connections', values.connections),
      rate: whole('rate', values.rate),
    };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
