import type { Command } from 'commander';
import { createStoreReader, readStreamProgress, type Store, type StreamProgressRow } from '../../analytics/index.ts';
import { migrate, openClickHouse } from '../../analytics/storage/index.ts';
import { DAY_MS, EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { type Config, loadConfig } from '../load-config.ts';
import { formatTable, printJson } from '../output.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

export function addDoctor(program: Command, context: CliContext): void {
  addStoreOptions(
    program.command('doctor').description('check what Evenshare needs, and say how to mend what is missing'),
  )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare doctor\n')
    .action(async (options: StoreFlags & { readonly json?: boolean }) => {
      const checks = await examine(context, program.opts<GlobalOptions>().config, options);
      if (options.json === true) printJson(context, { ok: checks.every((check) => check.ok), checks });
      else {
        context.stdout.write(
          formatTable(checks, [
            { title: 'check', value: (check) => check.check },
            { title: '', value: (check) => (check.ok ? 'ok' : 'FAILED') },
            { title: 'detail', value: (check) => check.detail },
          ]),
        );
      }
      const failed = checks.filter((check) => !check.ok);
      if (failed.length > 0) {
        throw new EvenshareError(
          failed.some((check) => check.check === 'configuration') ? 'EVS_CONFIG' : 'EVS_STORE_FAILED',
          `${failed.length} of ${checks.length} checks failed: ${failed.map((check) => check.check).join(', ')}`,
        );
      }
    });
}

async function examine(context: CliContext, configPath: string | undefined, flags: StoreFlags): Promise<Check[]> {
  const checks: Check[] = [{ check: 'node', ok: true, detail: process.version }];
  let config: Config;
  try {
    config = withStoreFlags(await loadConfig(configPath, context.env), flags);
    checks.push({ check: 'configuration', ok: true, detail: config.path ?? 'defaults' });
  } catch (error) {
    return [...checks, failed('configuration', error)];
  }
  let store: Store;
  try {
    store = await openClickHouse(config.store);
    checks.push({
      check: 'store',
      ok: true,
      detail: config.store.kind === 'embedded' ? `embedded in ${config.store.path}` : 'server',
    });
  } catch (error) {
    return [...checks, failed('store', error)];
  }
  try {
    const { pending } = await migrate(store, { dryRun: true });
    checks.push({
      check: 'tables',
      ok: true,
      detail: pending.length === 0 ? 'up to date' : `${pending.length} migrations to come at the next start`,
    });
    if (pending.length === 0) checks.push(...(await examineData(context, store, config)));
  } catch (error) {
    checks.push(failed('tables', error));
  } finally {
    await store.close();
  }
  return checks;
}

async function examineData(context: CliContext, store: Store, config: Config): Promise<Check[]> {
  const reader = createStoreReader(store, { windowMs: config.windowMs, poolOptions: config.poolOptions });
  const pools = await reader.pools();
  const letters = Object.entries(await reader.deadLetters(context.clock.nowMs() - DAY_MS));
  const streams = await readStreamProgress(store);
  return [
    ...streams.map(checkStream),
    ...pools.map((pool) => ({
      check: `pool ${pool.pool}`,
      ok: true,
      detail:
        pool.computed_to_ms === null
          ? 'no windows yet: run evenshare analyze'
          : `windows to ${new Date(pool.computed_to_ms).toISOString()}`,
    })),
    {
      check: 'dead letters',
      ok: true,
      detail:
        letters.length === 0 ? 'none in the last day' : letters.map(([code, count]) => `${code} ${count}`).join(', '),
    },
  ];
}

/** Rows against offsets: what lies between two offsets is an event, a dead letter, or lost. */
function checkStream(row: StreamProgressRow): Check {
  const { topic, partition, fromOffset, toOffset, missingOffsets, messages, events, letters } = row;
  const stored = `offsets ${fromOffset} to ${toOffset}: ${messages} messages, ${events} events, ${letters} dead letters`;
  return {
    check: `topic ${topic}, partition ${partition}`,
    ok: missingOffsets === 0,
    detail:
      missingOffsets === 0
        ? stored
        : `${stored}; ${missingOffsets} offsets were passed over: set the group back to read them again, if they are still kept`,
  };
}

function failed(check: string, error: unknown): Check {
  return { check, ok: false, detail: error instanceof Error ? error.message : String(error) };
}
