import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../../analytics/storage/index.ts';
import {
  createBatchWriter,
  type FollowFileOptions,
  findAdapter,
  followFile,
  type LoadReport,
  positionFile,
} from '../../../ingest/index.ts';

export interface Run {
  /** Resolves once everything that is written was looked at and stored. */
  idle(): Promise<void>;
  /** Lets it look again, `passMs` later, and waits until it is idle once more. */
  look(passMs?: number): Promise<void>;
  /** Ends it in order; what it reported. */
  stop(): Promise<LoadReport>;
  readonly messages: readonly string[];
  /** Settles when it ends. */
  readonly ended: Promise<LoadReport>;
}

export type FollowerOptions = Partial<FollowFileOptions> & { readonly format?: string };

export interface LogFolder {
  readonly path: string;
  /** The log that is followed. */
  readonly log: string;
  of(name: string): string;
  start(options?: FollowerOptions): Run;
  remove(): Promise<void>;
}

/** A folder with a log, and followers of it that look at it only when a test says so. */
export async function logFolder(store: Store): Promise<LogFolder> {
  const path = await mkdtemp(join(tmpdir(), 'evenshare-follow-'));
  const log = join(path, 'access.log');
  let nowMs = 1_790_848_800_000;
  const start: LogFolder['start'] = ({ format = 'evenshare', ...given } = {}) => {
    const stop = new AbortController();
    const messages: string[] = [];
    let lookNow = (): void => undefined;
    let tellIdle = (): void => undefined;
    let idle = new Promise<void>((resolve) => {
      tellIdle = resolve;
    });
    const ended = followFile({
      path: log,
      adapter: findAdapter(format),
      adapterOptions: { defaultPool: 'p', tenant: null, options: {}, mapping: null },
      writer: createBatchWriter(store, { nowMs: () => nowMs, maxPendingEvents: 100_000, maxBatchEvents: 20_000 }),
      positions: positionFile(join(path, 'positions', 'access.json')),
      nowMs: () => nowMs,
      sleep: async () => undefined,
      nextLook: (signal) =>
        new Promise((resolve) => {
          const go = (): void => {
            signal.removeEventListener('abort', go);
            resolve();
          };
          lookNow = go;
          signal.addEventListener('abort', go, { once: true });
          tellIdle();
        }),
      signal: stop.signal,
      onMessage: (message) => messages.push(message),
      ...given,
    });
    ended.catch(() => undefined);
    return {
      messages,
      ended,
      idle: () => Promise.race([idle, ended.then(() => undefined)]),
      look: async (passMs = 250) => {
        await idle;
        nowMs += passMs;
        idle = new Promise((resolve) => {
          tellIdle = resolve;
        });
        lookNow();
        await Promise.race([idle, ended]);
      },
      stop: () => {
        stop.abort();
        return ended;
      },
    };
  };
  return {
    path,
    log,
    of: (name) => join(path, name),
    start,
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** The line of one event. */
export const lineOf = (id: string | number): string =>
  `${JSON.stringify({ request_id: String(id), tenant: 'a', arrived_at: 1_790_848_000_000 })}\n`;

export const linesOf = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, index) => lineOf(`${prefix}${index}`)).join('');
