import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Store } from '../../../analytics/storage/index.ts';
import { systemClock } from '../../../cli/clock.ts';
import { loadConfig } from '../../../cli/load-config.ts';
import { startHttp } from '../../../cli/roles/http-role.ts';
import { openWriter } from '../../../cli/wire.ts';
import { createIngestMetrics, storeSink } from '../../../ingest/index.ts';
import { storeWith } from '../../support/watched-store.ts';
import { openMigrated } from '../ingest/load-tasks.ts';
import { countRequests } from '../ingest/store-figures.ts';

export interface BenchIntake {
  readonly port: number;
  readonly store: Store;
  /** Inserts into `requests` so far. */
  readonly inserts: () => number;
  /** The most active parts of `requests` that a look every half second found. */
  readonly mostParts: () => number;
  readonly close: () => Promise<void>;
}

/** The server of `evenshare serve` with its guards, pages' API and intake, on a store in `path`. */
export async function startIntake(path: string): Promise<BenchIntake> {
  const opened = await openMigrated(path);
  let inserts = 0;
  const store = storeWith(opened, {
    insert: async (lane, table, ...rest) => {
      if (table === 'requests') inserts++;
      await opened.insert(lane, table, ...rest);
    },
  });
  const context = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: {},
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const config = await loadConfig(undefined, {});
  const writer = openWriter(store, context);
  const registry = new Registry();
  const http = await startHttp(
    context,
    { ...config, http: { ...config.http, port: 0, tokens: [] } },
    {
      store,
      log: pino({ level: 'silent' }),
      registry,
      sink: storeSink(writer),
      metrics: createIngestMetrics(registry),
      notReady: () => [],
    },
  );
  let mostParts = 0;
  const watch = setInterval(async () => {
    mostParts = Math.max(mostParts, (await countRequests(opened)).parts);
  }, 500);
  return {
    port: Number(new URL(http.address).port),
    store: opened,
    inserts: () => inserts,
    mostParts: () => mostParts,
    close: async () => {
      clearInterval(watch);
      await http.close();
      await writer.drain();
      await opened.close();
    },
  };
}
