import { type Logger, pino } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Store } from '../../analytics/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { openStore, openWriter } from '../wire.ts';
import { startDemo } from './demo-role.ts';
import { checkExposure, startHttp } from './http-role.ts';
import { startJobs } from './jobs-role.ts';
import { stopAsked, withShutdownLimit } from './shutdown.ts';

export interface UpOptions {
  /** The demo gateway's policy; null for no demo. */
  readonly demo: 'fifo' | 'drr' | null;
  /** Print the address as JSON. */
  readonly json: boolean;
}

/**
 * Runs everything in one process until the signal aborts, then shuts down in order: no new requests, the job's run, what
 * is pending in the intake, the store.
 */
export async function runUp(context: CliContext, config: Config, options: UpOptions): Promise<void> {
  checkExposure(config);
  const log = pino({ level: config.logLevel, base: null }, context.stderr);
  const store = await openStore(config, context);
  try {
    await serve(context, config, options, { store, log });
  } finally {
    await store.close();
  }
}

async function serve(
  context: CliContext,
  config: Config,
  options: UpOptions,
  { store, log }: { readonly store: Store; readonly log: Logger },
): Promise<void> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'evenshare_' });
  const writer = openWriter(store, context);
  let notReady: () => string[] = () => ['starting'];
  const http = await startHttp(context, config, { store, log, registry, writer, notReady: () => notReady() });
  announce(context, http.address, options);
  const jobs = startJobs(context, config, { store, log, registry, pageUrl: http.address });
  notReady = () => jobs.notReady(context.clock.nowMs());
  const demo =
    options.demo === null
      ? null
      : await startDemo(context, config, { store, log, address: http.address, policy: options.demo });
  await stopAsked(context.signal);
  context.stderr.write('stopping\n');
  await withShutdownLimit(context, async () => {
    await demo?.stopped;
    await http.close();
    await jobs.stop();
    await writer.drain();
  });
}

function announce(context: CliContext, address: string, options: UpOptions): void {
  if (options.json) context.stdout.write(`${JSON.stringify({ address, events: `${address}/v1/events` })}\n`);
  else context.stdout.write(`Evenshare is at ${address}\nsend events to ${address}/v1/events\n`);
}
