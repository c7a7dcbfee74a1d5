import { createIngestMetrics } from '../../ingest/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { openWriter } from '../wire.ts';
import { openDeadLetterWriter } from './dead-letter-writer.ts';
import { startDemo } from './demo-role.ts';
import { startHttp } from './http-role.ts';
import { startJobs } from './jobs-role.ts';
import { openEventSink, startIngest } from './kafka-parts.ts';
import { startReports } from './reports-role.ts';
import { runRole } from './role-runtime.ts';

export interface UpOptions {
  /** The demo gateway's policy; null for no demo. */
  readonly demo: 'fifo' | 'drr' | null;
  /** Print the address as JSON. */
  readonly json: boolean;
}

/**
 * Everything in one process until the signal aborts, then shuts down in order: no new requests, the job's run, what is
 * pending in the intake, the store.
 */
export async function runUp(context: CliContext, config: Config, options: UpOptions): Promise<void> {
  await runRole(context, config, async (runtime) => {
    const metrics = createIngestMetrics(runtime.registry);
    const { writer, close } = await openDeadLetterWriter(context, config.kafka, {
      ...runtime,
      writer: openWriter(runtime.store, context, metrics),
    });
    const sink = await openEventSink(context, config, { ...runtime, writer });
    const ingest =
      config.kafka === null ? null : await startIngest(context, config, config.kafka, { ...runtime, writer, metrics });
    let notReady: () => string[] = () => ['starting'];
    const http = await startHttp(context, config, { ...runtime, sink, metrics, notReady: () => notReady() });
    announce(context, http.address, options);
    const jobs = startJobs(context, config, { ...runtime, pageUrl: config.pageUrl ?? http.address });
    const reports = await startReports(context, config, runtime);
    notReady = () => {
      const nowMs = context.clock.nowMs();
      return [...jobs.notReady(nowMs), ...(ingest?.notReady(nowMs) ?? [])];
    };
    const demo =
      options.demo === null
        ? null
        : await startDemo(context, config, { ...runtime, address: http.address, policy: options.demo });
    return {
      ...(ingest === null ? {} : { failed: ingest.failed }),
      stop: async () => {
        await demo?.stopped;
        await http.close();
        await sink.close();
        await jobs.stop();
        await reports?.stop();
        await ingest?.stop();
        await writer.drain();
        await close();
      },
    };
  });
}

function announce(context: CliContext, address: string, options: UpOptions): void {
  if (options.json) context.stdout.write(`${JSON.stringify({ address, events: `${address}/v1/events` })}\n`);
  else context.stdout.write(`Evenshare is at ${address}\nsend events to ${address}/v1/events\n`);
}
