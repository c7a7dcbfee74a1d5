import { createIngestMetrics } from '../../ingest/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { openWriter } from '../wire.ts';
import { openDeadLetterWriter } from './dead-letter-writer.ts';
import { startHealth } from './health-role.ts';
import { startIngest } from './kafka-parts.ts';
import { requireServerStore, runRole } from './role-runtime.ts';

/** Reads events from Kafka into the store; any number of these share a consumer group. */
export async function runIngest(context: CliContext, config: Config): Promise<void> {
  requireServerStore(config, 'ingest');
  const { kafka } = config;
  if (kafka === null) {
    throw new EvenshareError('EVS_CONFIG', '"evenshare ingest" reads from Kafka: name the brokers under kafka.brokers');
  }
  await runRole(context, config, async (runtime) => {
    const metrics = createIngestMetrics(runtime.registry);
    const { writer, close } = await openDeadLetterWriter(context, kafka, {
      ...runtime,
      writer: openWriter(runtime.store, context, metrics),
    });
    const ingest = await startIngest(context, config, kafka, { ...runtime, writer, metrics });
    const health = await startHealth(context, config, {
      ...runtime,
      role: 'ingest',
      notReady: () => ingest.notReady(context.clock.nowMs()),
    });
    return {
      failed: ingest.failed,
      stop: async () => {
        await health.close();
        await ingest.stop();
        await writer.drain();
        await close();
      },
    };
  });
}
