import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createBackfills, createPoolMetrics, createStoreReader, type Store } from '../../analytics/index.ts';
import { createServer, LOOPBACK_HOSTS } from '../../dashboards/index.ts';
import { type EventSink, type IngestMetrics, routeHttpIntake } from '../../ingest/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';

export interface HttpRole {
  /** `http://HOST:PORT`, without a slash at its end. */
  readonly address: string;
  close(): Promise<void>;
}

export interface HttpParts {
  readonly store: Store;
  readonly log: Logger;
  readonly registry: Registry;
  /** Where posted events go. */
  readonly sink: EventSink;
  readonly metrics: IngestMetrics;
  /** Every reason why the process cannot do its work now. */
  readonly notReady: () => string[];
}

/** Pages, API, health, metrics and the intake, listening. */
export async function startHttp(context: CliContext, config: Config, parts: HttpParts): Promise<HttpRole> {
  const { registry } = parts;
  const reader = createStoreReader(parts.store, config);
  const poolMetrics = createPoolMetrics(registry, config.windowMs);
  const server = createServer({
    reader,
    backfills: createBackfills(parts.store, { windowMs: config.windowMs, nowMs: context.clock.nowMs }),
    clock: context.clock,
    log: parts.log,
    windowMs: config.windowMs,
    webRoot: fileURLToPath(new URL('../../dashboards/web', import.meta.url)),
    tokens: config.http.tokens,
    allowedHosts: isLoopback(config.http.host) ? LOOPBACK_HOSTS : null,
    readiness: async () => {
      const reasons = parts.notReady();
      return { ready: reasons.length === 0, reasons };
    },
    metrics: async () => {
      await poolMetrics.refresh(reader);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  });
  routeHttpIntake(server, {
    sink: parts.sink,
    metrics: parts.metrics,
    nowMs: context.clock.nowMs,
    yieldTurn: nextTurn,
    ...config.intake,
  });
  return listenOn(server, config);
}

/** Starts to listen where the configuration says. */
export async function listenOn(server: FastifyInstance, config: Config): Promise<HttpRole> {
  const { host, port } = config.http;
  try {
    return { address: await server.listen({ host, port }), close: () => server.close() };
  } catch (cause) {
    await server.close();
    throw listenError(host, port, cause);
  }
}

/** Anybody who reaches the port could read every tenant's figures: beyond loopback a token is asked for. */
export function checkExposure(config: Config): void {
  if (isLoopback(config.http.host) || config.http.tokens.length > 0) return;
  throw new EvenshareError(
    'EVS_CONFIG',
    `http.host "${config.http.host}" is open to others: set http.tokens (from the environment, as \${NAME}), or bind to 127.0.0.1`,
  );
}

/** Whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function listenError(host: string, port: number, cause: unknown): EvenshareError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  if (code === 'EADDRINUSE') {
    return new EvenshareError(
      'EVS_PORT_IN_USE',
      `port ${port} of ${host} is in use: stop what listens there, or choose another with --port`,
      { cause },
    );
  }
  return new EvenshareError('EVS_CONFIG', `cannot listen on ${host}:${port} (${code}): check http.host and --port`, {
    cause,
  });
}
