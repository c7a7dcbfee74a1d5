import type { FastifyBaseLogger } from 'fastify';
import type { Backfills, FairnessReader } from './analytics-door.ts';
import type { Readiness } from './api-schema.ts';
import type { AccessToken } from './auth.ts';

export interface ServerOptions {
  /** The only thing that figures come from. */
  readonly reader: FairnessReader;
  /** What the jobs are asked for. */
  readonly backfills: Backfills;
  readonly clock: { nowMs(): number };
  /** A pino logger, or false for none. Requests are not logged one by one, failures are. */
  readonly log: FastifyBaseLogger | false;
  /** Length of the windows to read. */
  readonly windowMs: number;
  /** Folder of the built page (`dist/dashboards/web`). */
  readonly webRoot: string;
  /** Empty: no token is asked for, which is sensible only on loopback. */
  readonly tokens: readonly AccessToken[];
  /** Host names that requests may use; null allows any. Give `LOOPBACK_HOSTS` when bound to loopback. */
  readonly allowedHosts: readonly string[] | null;
  /** Whether the process can do its work now, else every reason; reasons hold no secret and no address. */
  readonly readiness: () => Promise<Readiness>;
  /** The exposition of `/metrics`. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
}

/** What a process without pages shows of itself. */
export type HealthOptions = Pick<ServerOptions, 'log' | 'tokens' | 'allowedHosts' | 'readiness' | 'metrics'>;
