import { cpus } from 'node:os';
import { adaptersBenchmark } from './adapters/adapters-benchmark.ts';
import { type Benchmark, UsageError } from './benchmark.ts';
import { coreBenchmark } from './core/core-benchmark.ts';
import { httpBenchmark } from './http/http-benchmark.ts';
import { ingestBenchmark } from './ingest/ingest-benchmark.ts';
import { kafkaBenchmark } from './kafka/kafka-benchmark.ts';
import { minuteBenchmark } from './minute/minute-benchmark.ts';
import { rollupsBenchmark } from './rollups/rollups-benchmark.ts';
import { serveTask, TASK_FLAG } from './run-task.ts';

const BENCHMARKS: readonly Benchmark[] = [
  coreBenchmark,
  ingestBenchmark,
  minuteBenchmark,
  httpBenchmark,
  kafkaBenchmark,
  adaptersBenchmark,
  rollupsBenchmark,
];

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function help(): string {
  const rows = BENCHMARKS.map((one) => `  ${one.name.padEnd(10)} ${one.summary}`);
  return ['usage: npm run bench -- NAME [OPTIONS]   (NAME --help tells its options)', '', ...rows].join('\n');
}

function machine(): string {
  const processors = cpus();
  return `machine: ${processors.length} cores (${processors[0]?.model.trim() ?? 'unknown'}), Node ${process.version}, ${process.platform} ${process.arch}`;
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const benchmark = BENCHMARKS.find((one) => one.name === name);
  if (benchmark === undefined) {
    const isAsked = name === '--help' || name === '-h';
    if (name !== undefined && !isAsked) process.stderr.write(`there is no benchmark ${JSON.stringify(name)}\n`);
    process.stderr.write(`${help()}\n`);
    return isAsked ? 0 : 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    print(benchmark.usage);
    return 0;
  }
  print(machine());
  try {
    await benchmark.run(rest, print);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n${benchmark.usage}\n`);
    return 2;
  }
}

const args = process.argv.slice(2);
if (args[0] === TASK_FLAG) serveTask(BENCHMARKS, args[1] ?? '', args[2] ?? '');
else process.exitCode = await main(args);
