import { afterAll, type TestContext } from 'vitest';
import { type Broker, startBroker } from '../../scripts/kafka/broker.js';
import { createTopics } from '../../scripts/kafka/create-topics.js';
import { cachedJars, DEFAULT_KAFKA_VERSION, fetchJars, findJava, findMaven } from '../../scripts/kafka/fetch-jars.js';
import { requirePart } from './require-part.ts';

/** A real broker on this machine. */
export interface TestKafka extends Omit<Broker, 'stop' | 'kill'> {
  /** A user of the listener that asks for SASL. */
  readonly user: { readonly username: string; readonly password: string };
  createTopic(name: string, partitions: number): Promise<void>;
  /** Stops the node in order and brings it back. */
  restart(): Promise<void>;
}

const USER = { username: 'gateway', password: 'kept-from-logs' };
const VERSION = process.env.EVENSHARE_KAFKA_VERSION || DEFAULT_KAFKA_VERSION;

let started: Promise<Broker> | null = null;

// The broker ends with the file that asked for it, whatever became of its tests.
afterAll(async () => {
  await (await started?.catch(() => null))?.kill();
});

/**
 * The broker of this test file, started for the first test that asks, as that one asks for it. Where Java is missing, or Maven and the jars, the
 * test does not run and the end of the run says so; under `CI=true` it fails.
 */
export async function startKafka(
  context: Pick<TestContext, 'skip'>,
  more: { readonly tls?: { readonly keystore: string; readonly truststore: string } } = {},
): Promise<TestKafka> {
  requirePart(context, { name: 'Java', find: findJava, remedy: 'install a JRE, 17 or newer' });
  if (cachedJars(VERSION) === null) {
    requirePart(context, { name: 'Maven, which fetches Kafka', find: findMaven, remedy: 'install maven' });
    const jars = await fetchJars(VERSION).catch(() => null);
    requirePart(context, { name: `Kafka ${VERSION}`, find: () => jars, remedy: 'npm run kafka -- --fetch says why' });
  }
  started ??= startBroker({ version: VERSION, users: { [USER.username]: USER.password }, quick: true, ...more });
  const broker = await started;
  return {
    bootstrap: broker.bootstrap,
    saslBootstrap: broker.saslBootstrap,
    saslTlsBootstrap: broker.saslTlsBootstrap,
    tlsBootstrap: broker.tlsBootstrap,
    dataDir: broker.dataDir,
    pid: broker.pid,
    exited: broker.exited,
    halt: broker.halt,
    start: broker.start,
    user: USER,
    createTopic: (name, partitions) => createTopics(broker.bootstrap, [name], partitions),
    restart: async () => {
      await broker.halt();
      await broker.start();
    },
  };
}
