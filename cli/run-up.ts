import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { schedule } from 'node-cron';
import { type Logger, pino } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import {
  createFairnessJob,
  createStoreReader,
  DEFAULT_WATERMARK_OPTIONS,
  type FairnessJob,
  readPoolSpans,
  type Store,
} from '../analytics/index.ts';
import { createServer, LOOPBACK_HOSTS } from '../dashboards/index.ts';
import { createIngestMetrics, routeHttpIntake } from '../ingest/index.ts';
import { EvenshareError, HOUR_MS, MINUTE_MS, SECOND_MS } from '../scheduler-core/kernel/index.ts';
import type { CliContext } from './context.ts';
import { startDemoGateway } from './demo/demo-gateway.ts';
import type { Config } from './load-config.ts';
import { openStore, openWriter } from './wire.ts';

export interface UpOptions {
  /** The demo gateway's policy; null for no demo. */
  readonly demo: 'fifo' | 'drr' | null;
  /** Print the address as JSON. */
  readonly json: boolean;
}

/** How often the job looks whether a window is due: a window is there a few seconds after the watermark passed it. */
const JOB_CRON = '*/2 * * * * *';
const LATE_CHECK_EVERY_MS = MINUTE_MS;
/** Without a run that succeeded for so long, the process is not ready. */
const JOB_STALL_MS = 2 * MINUTE_MS;
const DEMO_HISTORY_MS = HOUR_MS;
const DEMO_SEED = 1;
const SHUTDOWN_LIMIT_MS = 20 * SECOND_MS;

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
  const job = createFairnessJob(store, {
    windowMs: config.windowMs,
    poolOptions: config.poolOptions,
    watermark: DEFAULT_WATERMARK_OPTIONS,
    lateCheckEveryMs: LATE_CHECK_EVERY_MS,
  });
  const state = new JobState(registry, context.clock.nowMs());
  const server = createServer({
    reader: createStoreReader(store, config),
    clock: context.clock,
    log,
    windowMs: config.windowMs,
    webRoot: fileURLToPath(new URL('../dashboards/web', import.meta.url)),
    tokens: config.http.tokens,
    allowedHosts: isLoopback(config.http.host) ? LOOPBACK_HOSTS : null,
    readiness: async () => state.readiness(context.clock.nowMs()),
    metrics: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  });
  routeHttpIntake(server, {
    writer,
    metrics: createIngestMetrics(registry),
    nowMs: context.clock.nowMs,
    yieldTurn: nextTurn,
    ...config.intake,
  });
  const address = await listen(server, config);
  announce(context, address, options);

  const stopJobs = scheduleJob(job, context, state, log);
  const demo =
    options.demo === null ? null : await startDemo(context, config, store, { address, log, policy: options.demo });
  await aborted(context.signal);
  context.stderr.write('stopping\n');
  await withLimit(context, async () => {
    await demo?.stopped;
    await server.close();
    await stopJobs();
    await writer.drain();
  });
}

/** Anybody who reaches the port could read every tenant's figures: beyond loopback a token is asked for. */
function checkExposure(config: Config): void {
  if (isLoopback(config.http.host) || config.http.tokens.length > 0) return;
  throw new EvenshareError(
    'EVS_CONFIG',
    `http.host "${config.http.host}" is open to others: set http.tokens (from the environment, as \${NAME}), or bind to 127.0.0.1`,
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

async function listen(server: ReturnType<typeof createServer>, config: Config): Promise<string> {
  const { host, port } = config.http;
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    await server.close();
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new EvenshareError(
        'EVS_PORT_IN_USE',
        `port ${port} of ${host} is in use: stop what listens there, or choose another with --port`,
        { cause },
      );
    }
    throw new EvenshareError(
      'EVS_CONFIG',
      `cannot listen on ${host}:${port} (${String(code)}): check http.host and --port`,
      { cause },
    );
  }
}

function announce(context: CliContext, address: string, options: UpOptions): void {
  if (options.json) context.stdout.write(`${JSON.stringify({ address, events: `${address}/v1/events` })}\n`);
  else context.stdout.write(`Evenshare is at ${address}\nsend events to ${address}/v1/events\n`);
}

/** What the job did last, for readiness and metrics. */
class JobState {
  #lastSuccessMs: number;
  #lastError: string | null = null;
  readonly #watermark: Gauge;
  readonly #duration: Gauge;

  constructor(registry: Registry, startedMs: number) {
    this.#lastSuccessMs = startedMs;
    this.#watermark = new Gauge({
      name: 'evenshare_job_watermark_seconds',
      help: 'Epoch seconds up to which every pool is expected to be complete.',
      registers: [registry],
    });
    this.#duration = new Gauge({
      name: 'evenshare_job_duration_seconds',
      help: 'How long the last run of the minute job took.',
      registers: [registry],
    });
  }

  succeeded(startedMs: number, nowMs: number, watermarkMs: number | null): void {
    this.#lastSuccessMs = nowMs;
    this.#lastError = null;
    this.#duration.set((nowMs - startedMs) / 1000);
    if (watermarkMs !== null) this.#watermark.set(watermarkMs / 1000);
  }

  failed(message: string): void {
    this.#lastError = message;
  }

  readiness(nowMs: number): { ready: boolean; reasons: string[] } {
    const stalledMs = nowMs - this.#lastSuccessMs;
    if (stalledMs < JOB_STALL_MS) return { ready: true, reasons: [] };
    const why = this.#lastError === null ? '' : `: ${this.#lastError}`;
    return { ready: false, reasons: [`the minute job has not succeeded for ${Math.round(stalledMs / 1000)} s${why}`] };
  }
}

/** Runs the job on its schedule; returns what stops it and waits for the run under way. */
function scheduleJob(job: FairnessJob, context: CliContext, state: JobState, log: Logger): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    const startedMs = context.clock.nowMs();
    try {
      const result = await job.run(startedMs, context.signal);
      state.succeeded(startedMs, context.clock.nowMs(), result.watermarkMs);
      if (result.written > 0) log.info({ windows: result.windows, written: result.written }, 'windows computed');
    } catch (error) {
      if (context.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      state.failed(message);
      log.error(
        { code: error instanceof EvenshareError ? error.code : undefined },
        `the minute job failed and will try again: ${message}`,
      );
    }
  };
  const task = schedule(
    JOB_CRON,
    () => {
      running = run();
      return running;
    },
    { name: 'minute-job', noOverlap: true, timezone: 'UTC' },
  );
  return async () => {
    await task.stop();
    await running;
  };
}

async function startDemo(
  context: CliContext,
  config: Config,
  store: Store,
  { address, log, policy }: { readonly address: string; readonly log: Logger; readonly policy: 'fifo' | 'drr' },
) {
  const nowMs = context.clock.nowMs();
  // After a restart the history goes on where the stored events end: nothing is simulated twice.
  const known = (await readPoolSpans(store, 'reads')).find((span) => span.pool === 'demo');
  const historyFromMs = Math.max(nowMs - DEMO_HISTORY_MS, known === undefined ? 0 : known.latestEndMs + 1);
  const demo = startDemoGateway({
    baseUrl: address,
    token: config.http.tokens[0]?.token ?? null,
    policy,
    seed: DEMO_SEED,
    clock: context.clock,
    historyFromMs: Math.floor(historyFromMs / SECOND_MS) * SECOND_MS,
    historyToMs: nowMs,
    log,
    signal: context.signal,
  });
  demo.historyPosted.then(() => log.info(demo.counts(), 'the demo has posted its history'));
  return demo;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Shutdown must end: what has not finished by the limit is safe to cut, since every effect can be repeated. */
async function withLimit(context: CliContext, shutdown: () => Promise<void>): Promise<void> {
  const done = new AbortController();
  const limit = context.clock.sleep(SHUTDOWN_LIMIT_MS, done.signal).then(() => {
    if (!done.signal.aborted) throw new EvenshareError('EVS_INTERRUPTED', 'shutdown took too long and was cut off');
  });
  try {
    await Promise.race([shutdown(), limit]);
  } finally {
    done.abort();
  }
}
