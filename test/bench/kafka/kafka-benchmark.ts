import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Benchmark, type Print, UsageError } from '../benchmark.ts';
import { median, milliseconds, spread, thousands } from '../figures.ts';
import { runTask } from '../run-task.ts';
import { drainTopic, fillTopic, ingestTopic, insertRows, type KafkaInput } from './kafka-tasks.ts';
import { startBroker } from './start-broker.ts';

const NAME = 'kafka';
const TOPIC = 'bench.decisions';
const PARTITIONS = 6;

const USAGE = `usage: npm run bench -- ${NAME} [OPTIONS]

  From a real broker into a new store with one process, all on this machine, beside kafkajs draining the
  topic and doing nothing, and the store taking the same rows and nothing else.

  --events N    events in the topic (300000)
  --runs N      measured runs of each, alternating (3)`;

export const kafkaBenchmark: Benchmark = {
  name: NAME,
  summary: 'events per second from Kafka into the store',
  usage: USAGE,
  run,
  // Seam: tasks get back the input that this file gave them.
  tasks: {
    fill: (input) => fillTopic(input as KafkaInput),
    ingest: (input) => ingestTopic(input as KafkaInput),
    drain: (input) => drainTopic(input as KafkaInput),
    insert: (input) => insertRows(input as KafkaInput),
  },
};

async function run(args: readonly string[], print: Print): Promise<void> {
  const { events, runs } = parse(args);
  const folder = await mkdtemp(join(tmpdir(), 'evenshare-bench-'));
  const broker = await startBroker(TOPIC, PARTITIONS);
  try {
    const input: KafkaInput = { brokers: broker.bootstrap, topic: TOPIC, events, storePath: join(folder, 'store') };
    const bytes = await runTask<number>({ benchmark: NAME, name: 'fill' }, input);
    print(`  topic: ${thousands(events)} events of ${thousands(bytes)} bytes in ${PARTITIONS} partitions`);
    const elapsed = { ingest: [], drain: [], insert: [] } as Record<'ingest' | 'drain' | 'insert', number[]>;
    for (let index = 0; index < runs; index++) {
      for (const name of ['ingest', 'drain', 'insert'] as const) {
        elapsed[name].push(await runTask<number>({ benchmark: NAME, name }, input));
      }
    }
    const show = (name: string, ms: readonly number[]): void => {
      const rates = ms.map((one) => (events / one) * 1000);
      print(`  ${name}: ${spread(rates, thousands)} events/s, ${spread(ms, milliseconds)}`);
    };
    show('Kafka to store', elapsed.ingest);
    show('kafkajs draining', elapsed.drain);
    show('store inserting', elapsed.insert);
    const slower = Math.max(median(elapsed.drain), median(elapsed.insert));
    const ratio = slower / median(elapsed.ingest);
    print(`  ratio: Kafka to store reaches ${ratio.toFixed(2)} of the slower of the two (wanted: at least 0.3)`);
  } finally {
    await broker.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function parse(args: readonly string[]): { readonly events: number; readonly runs: number } {
  const whole = (option: string, text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${option} takes a whole number from 1 on`);
    return value;
  };
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { events: { type: 'string', default: '300000' }, runs: { type: 'string', default: '3' } },
    });
    return { events: whole('events', values.events), runs: whole('runs', values.runs) };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
