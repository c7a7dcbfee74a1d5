// npm run kafka: one Kafka broker on this machine until Ctrl-C. Needs Java 17 and, once per version, Maven.
import { parseArgs } from 'node:util';
import { startBroker } from './broker.js';
import { createTopics } from './create-topics.js';
import { DEFAULT_KAFKA_VERSION, fetchJars, KafkaScriptError } from './fetch-jars.js';

const HELP = `npm run kafka -- [options]

  --port N          port for clients on 127.0.0.1 (default: a free one)
  --data-dir DIR    keep topics there (default: a temporary folder, removed at the end)
  --version V       Kafka 3.9.x or 4.x (default: EVENSHARE_KAFKA_VERSION, or ${DEFAULT_KAFKA_VERSION})
  --topics A,B      topics to have (default: evenshare.decisions,
                    evenshare.dead-letters; '' for none)
  --partitions N    of each new topic (default: 6)
  --fetch           only fetch the jars into the cache

Example: npm run kafka -- --port 9092 --data-dir /tmp/kafka
`;

async function main() {
  const options = readOptions();
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  if (options.fetch) {
    await fetchJars(options.version);
    return;
  }
  const stopAsked = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve);
  });
  process.stderr.write(`starting Kafka ${options.version}\n`);
  const broker = await startBroker(options);
  try {
    await createTopics(broker.bootstrap, options.topics, options.partitions);
    process.stdout.write(`bootstrap servers ${broker.bootstrap}\n`);
    const ended = await Promise.race([stopAsked.then(() => null), broker.exited()]);
    if (ended !== null) throw new KafkaScriptError(`the broker ended by itself (${ended.signal ?? ended.code})`);
    process.stderr.write('stopping\n');
  } finally {
    await broker.stop();
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      'data-dir': { type: 'string' },
      version: { type: 'string', default: process.env.EVENSHARE_KAFKA_VERSION || DEFAULT_KAFKA_VERSION },
      topics: { type: 'string', default: 'evenshare.decisions,evenshare.dead-letters' },
      partitions: { type: 'string', default: '6' },
      fetch: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    ...values,
    port: wholeNumber('--port', values.port, 0, 65_535),
    partitions: wholeNumber('--partitions', values.partitions, 1, 10_000),
    dataDir: values['data-dir'] ?? null,
    topics: values.topics.split(',').filter((name) => name !== ''),
  };
}

function wholeNumber(name, text, least, most) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(`${name} ${text} is no whole number from ${least} to ${most}`);
}

main().catch((error) => {
  // parseArgs and wholeNumber throw TypeErrors about the command line.
  const isUsage = error instanceof TypeError;
  process.stderr.write(error instanceof KafkaScriptError || isUsage ? `${error.message}\n` : `${error.stack}\n`);
  process.exitCode = isUsage ? 2 : 1;
});
