import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { type BatchWriter, followFile, type LoadReport, positionFile } from '../../ingest/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import { type Config, DEFAULT_DATA_DIR } from '../load-config.ts';
import { addReport, emptyTotal, type OpenedFormat } from './load-files.ts';

/** How often a file is looked at for what was written to it. */
const LOOK_EVERY_MS = 250;

export interface FollowOptions {
  readonly format: OpenedFormat;
  readonly writer: BatchWriter;
  readonly config: Config;
  /** Where positions are kept; undefined: beside what they belong to. */
  readonly positions: string | undefined;
}

/** Loads files as they grow until the process is asked to stop; one that fails ends the others too, in order. */
export async function followFiles(
  context: CliContext,
  files: readonly string[],
  options: FollowOptions,
): Promise<LoadReport> {
  if (files.includes('-')) {
    throw new EvenshareError('EVS_USAGE', '--follow needs a file: the standard input grows without it');
  }
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  context.signal.addEventListener('abort', abort, { once: true });
  if (context.signal.aborted) abort();
  const follow = (path: string): Promise<LoadReport> =>
    followFile({
      ...options.format,
      path,
      writer: options.writer,
      positions: positionFile(positionPath(path, options)),
      nowMs: context.clock.nowMs,
      sleep: context.clock.sleep,
      nextLook: (signal) => context.clock.sleep(LOOK_EVERY_MS, signal),
      signal: stop.signal,
      onMessage: (message) => context.stderr.write(`evenshare: ${message}\n`),
    });
  try {
    const ended = await Promise.allSettled(
      files.map((path) =>
        follow(path).catch((error: unknown) => {
          abort();
          throw error;
        }),
      ),
    );
    const total = emptyTotal();
    for (const result of ended) {
      if (result.status === 'rejected') throw result.reason;
      addReport(total, result.value);
    }
    return total;
  } finally {
    context.signal.removeEventListener('abort', abort);
    await options.writer.drain();
  }
}

/**
 * A position belongs to one file and one store: an embedded store has it in its own folder, so that both go away
 * together; for a server it lies in the working directory, under a name that the server is part of.
 */
function positionPath(path: string, { config, positions }: FollowOptions): string {
  const { store } = config;
  const folder = positions ?? join(store.kind === 'embedded' ? store.path : DEFAULT_DATA_DIR, 'follow');
  const storeName = store.kind === 'embedded' ? '' : `${new URL(store.url).host} ${store.database}`;
  const digest = createHash('sha256')
    .update(`${resolve(path)}\0${storeName}`)
    .digest('hex')
    .slice(0, 12);
  return join(folder, `${basename(path)}-${digest}.json`);
}
