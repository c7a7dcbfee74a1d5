import { createIngestMetrics } from '../../ingest/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { openWriter } from '../wire.ts';
import { openDeadLetterWriter } from './dead-letter-writer.ts';
import { startHttp } from './http-role.ts';
import { openEventSink } from './kafka-parts.ts';
import { requireServerStore, runRole } from './role-runtime.ts';

/** Pages, API and HTTP intake; posted events go to Kafka where it is configured, else into the store. */
export async function runServe(context: CliContext, config: Config): Promise<void> {
  requireServerStore(config, 'serve');
  await runRole(context, config, async (runtime) => {
    const metrics = createIngestMetrics(runtime.registry);
    const { writer, close } = await openDeadLetterWriter(context, config.kafka, {
      ...runtime,
      writer: openWriter(runtime.store, context, metrics),
    });
    const sink = await openEventSink(context, config, { ...runtime, writer });
    const http = await startHttp(context, config, {
      ...runtime,
      sink,
      metrics,
      notReady: () => [],
    });
    context.stdout.write(`evenshare serve: pages at ${http.address}\n`);
    return {
      stop: async () => {
        await http.close();
        await sink.close();
        await writer.drain();
        await close();
      },
    };
  });
}
