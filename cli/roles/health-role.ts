import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createHealthServer, LOOPBACK_HOSTS } from '../../dashboards/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { type HttpRole, isLoopback, listenOn } from './http-role.ts';

/** Health and metrics of a role without pages, listening. */
export async function startHealth(
  context: CliContext,
  config: Config,
  parts: {
    readonly log: Logger;
    readonly registry: Registry;
    readonly role: string;
    readonly notReady: () => string[];
  },
): Promise<HttpRole> {
  const { registry } = parts;
  const server = createHealthServer({
    log: parts.log,
    tokens: config.http.tokens,
    allowedHosts: isLoopback(config.http.host) ? LOOPBACK_HOSTS : null,
    readiness: async () => {
      const reasons = parts.notReady();
      return { ready: reasons.length === 0, reasons };
    },
    metrics: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  });
  const http = await listenOn(server, config);
  context.stdout.write(`evenshare ${parts.role}: health and metrics at ${http.address}\n`);
  return http;
}
