import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startBroker } from '../../scripts/kafka/broker.js';
import { DEFAULT_KAFKA_VERSION } from '../../scripts/kafka/fetch-jars.js';
import { isFaultless, resultLines } from './result-table.ts';
import { runFaults } from './run-faults.ts';

const USAGE = `usage: npm run test:faults -- [--seed N] [--kills N] [--rounds N] [--outage SECONDS] [--rate N] [--processes N]

Real broker, real processes, a store behind ClickHouse's HTTP interface; events with known numbers go in while processes
are killed, frozen and put off their clocks, the broker restarts and the store refuses, hangs, cuts, is slow, full and
gone. Ends with 0 when nothing was lost or counted twice.

  --seed N       the order and the lengths of the faults (default: a new one, printed)
  --kills N      kill -9 of processes that ingest (default 50)
  --rounds N     how often each other fault comes about (default 3)
  --outage S     the longest time without a store, at the end (default 90)
  --rate N       requests a second (default 400)
  --processes N  processes that ingest (default 2)
  --program F    the command line that is tried (default dist/cli/main.js)
`;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      kills: { type: 'string', default: '50' },
      rounds: { type: 'string', default: '3' },
      outage: { type: 'string', default: '90' },
      rate: { type: 'string', default: '400' },
      processes: { type: 'string', default: '2' },
      program: { type: 'string', default: 'dist/cli/main.js' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(USAGE);
    return 0;
  }
  const program = resolve(values.program);
  if (!existsSync(program)) throw new Error(`${values.program} is missing: run "npm run build" first`);
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  print(`seed ${seed}`);
  const folder = await mkdtemp(join(tmpdir(), 'evenshare-faults-'));
  const broker = await startBroker({
    version: process.env.EVENSHARE_KAFKA_VERSION || DEFAULT_KAFKA_VERSION,
    quick: true,
  });
  try {
    const result = await runFaults({
      signal: interrupted(),
      seed,
      kills: Number(values.kills),
      rounds: Number(values.rounds),
      brevity: 1,
      longOutageMs: 1_000 * Number(values.outage),
      requestsPerS: Number(values.rate),
      processes: Number(values.processes),
      broker,
      program,
      storeProgram: join(import.meta.dirname, 'store.mjs'),
      clockPreload: resolve('test/faults/shift-clock.mjs'),
      folder,
      print,
    });
    for (const line of resultLines(result, seed)) print(line);
    if (isFaultless(result)) await rm(folder, { recursive: true, force: true });
    else print(`what the processes said is in ${folder}`);
    return isFaultless(result) ? 0 : 1;
  } finally {
    await broker.kill();
  }
}

/** Aborts when somebody has had enough: everything that was started is ended all the same. */
function interrupted(): AbortSignal {
  const asked = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => asked.abort());
  return asked.signal;
}

process.exitCode = await main();
