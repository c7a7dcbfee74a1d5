// Counts the timers that an idle connection to a broker sets. Run by kafka-faults.test.ts as a process of its own.
import { Kafka, logLevel, Partitioners } from 'kafkajs';

const [bootstrap, guard] = process.argv.slice(2);
const IDLE_MS = 300;

const delaysMs: number[] = [];
const warnings: string[] = [];
const setTimer = globalThis.setTimeout;
process.on('warning', ({ name }) => warnings.push(name));
// Only what kafkajs sets is counted: this program's own timers come from `setTimer`.
globalThis.setTimeout = Object.assign((...given: Parameters<typeof setTimer>) => {
  delaysMs.push(Number(given[1]));
  return setTimer(...given);
}, setTimer);

if (guard === 'guarded') await import('../../../ingest/sources/kafka-client.ts');
const kafka = new Kafka({ brokers: [String(bootstrap)], logLevel: logLevel.NOTHING });
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
await producer.connect();
delaysMs.length = 0;
await new Promise((resolve) => setTimer(resolve, IDLE_MS));
process.stdout.write(`${JSON.stringify({ timers: delaysMs.length, warnings })}\n`);
await producer.disconnect();
