import { type Logger, pino } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Store } from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { openStore } from '../wire.ts';
import { checkExposure } from './http-role.ts';
import { stopAsked, withShutdownLimit } from './shutdown.ts';

/** What every long-running process has. */
export interface RoleRuntime {
  readonly store: Store;
  readonly log: Logger;
  readonly registry: Registry;
}

/** A role that has started: what fails it, and how it ends, in order. */
export interface StartedRole {
  /** Rejects when the role cannot go on; never resolves otherwise. */
  readonly failed?: Promise<never>;
  readonly stop: () => Promise<void>;
}

/** Opens the store, starts the role, waits until the process is asked to stop or the role fails, and ends it in order. */
export async function runRole(
  context: CliContext,
  config: Config,
  start: (runtime: RoleRuntime) => Promise<StartedRole>,
): Promise<void> {
  checkExposure(config);
  const log = pino({ level: config.logLevel, base: null }, context.stderr);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'evenshare_' });
  const store = await openStore(config, context);
  try {
    const role = await start({ store, log, registry });
    try {
      await Promise.race([stopAsked(context.signal), ...(role.failed === undefined ? [] : [role.failed])]);
    } finally {
      context.stderr.write('stopping\n');
      await withShutdownLimit(context, role.stop);
    }
  } finally {
    await store.close();
  }
}

/** Roles of their own need a store that several processes may open. */
export function requireServerStore(config: Config, role: string): void {
  if (config.store.kind === 'server') return;
  throw new EvenshareError(
    'EVS_CONFIG',
    `"evenshare ${role}" is one process of several and needs a ClickHouse server (store.kind: server); with the embedded store "evenshare up" does everything in one process`,
  );
}
