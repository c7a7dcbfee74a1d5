import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance } from 'fastify';
import { guardWithTokens } from './auth.ts';
import { guardAgainstForeignPages } from './browser-guard.ts';
import { faithfulSerializerCompiler } from './faithful-serializer.ts';
import { answerWithProblems } from './problem.ts';
import { routeBackfills } from './routes/backfills.ts';
import { routeExplain } from './routes/explain.ts';
import { routeHealth } from './routes/health.ts';
import { routeMetrics } from './routes/metrics.ts';
import { collectOpenapi, routeOpenapi } from './routes/openapi.ts';
import { routePage } from './routes/page.ts';
import { routePools } from './routes/pools.ts';
import { routeReadiness } from './routes/readiness.ts';
import { routeSeries } from './routes/series.ts';
import { routeWindows } from './routes/windows.ts';
import type { HealthOptions, ServerOptions } from './server-options.ts';

/** Pool names are bounded by the event schema; this leaves room for their percent-encoding. */
const MAX_PARAM_LENGTH = 2_048;

/**
 * The HTTP server of the pages and their API, not listening yet. Plugins registered on it afterwards (the intake) are
 * under the same guards: hosts, tokens, problem details.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = bareServer(options);
  collectOpenapi(app);
  app.register(async (page) => routePage(page, options));
  app.register(async (root) => {
    routeApi(root, options);
  });
  return app;
}

function bareServer(options: HealthOptions): FastifyInstance {
  const app = Fastify({
    ...(options.log === false ? { logger: false } : { loggerInstance: options.log }),
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // A misspelt parameter is refused, not removed.
    ajv: { customOptions: { removeAdditional: false } },
  });
  answerWithProblems(app);
  guardAgainstForeignPages(app, options.allowedHosts);
  guardWithTokens(app, options.tokens);
  app.register(helmet, SECURITY_HEADERS);
  return app;
}

/** Health and metrics alone, for a process that shows no pages; under the same guards. */
export function createHealthServer(options: HealthOptions): FastifyInstance {
  const app = bareServer(options);
  app.register(async (root) => routeOwnState(root, options));
  return app;
}

function routeApi(api: FastifyInstance, options: ServerOptions): void {
  api.setSerializerCompiler(faithfulSerializerCompiler);
  api.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  routePools(api, options);
  routeWindows(api, options);
  routeSeries(api, options);
  routeExplain(api, options);
  routeBackfills(api, options);
  routeOwnState(api, options);
  routeOpenapi(api);
}

function routeOwnState(api: FastifyInstance, options: HealthOptions): void {
  routeHealth(api);
  routeReadiness(api, options);
  routeMetrics(api, options);
}

/** Everything from this server, nothing inline. TLS, where there is any, ends before it, so it upgrades nothing. */
const SECURITY_HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
    },
  },
  strictTransportSecurity: false,
  referrerPolicy: { policy: 'no-referrer' },
} as const;
