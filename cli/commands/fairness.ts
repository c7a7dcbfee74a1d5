import type { Command } from 'commander';
import { createStoreReader, type PoolWindows } from '../../analytics/index.ts';
import { HOUR_MS } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { printJson } from '../output.ts';
import { openStore } from '../wire.ts';
import { noPool } from './analyze.ts';
import { timeOption } from './option-values.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';
import { describeWindows } from './windows-text.ts';

interface FairnessOptions extends StoreFlags {
  readonly from?: string;
  readonly to?: string;
  readonly pool?: string;
  readonly json?: boolean;
}

export function addFairness(program: Command, context: CliContext): void {
  addStoreOptions(program.command('fairness').description('the computed windows of a range, as a table or JSON'))
    .option('--from <time>', 'start; default an hour before the end')
    .option('--to <time>', 'end; default the end of the newest window')
    .option('--pool <name>', 'one pool; default all')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  evenshare fairness --pool llm-a --from 2026-11-01T10:00:00Z --to 2026-11-01T11:00:00Z --json\n',
    )
    .action(async (options: FairnessOptions) => {
      const fromMs = options.from === undefined ? null : timeOption('--from', options.from);
      const toMs = options.to === undefined ? null : timeOption('--to', options.to);
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const store = await openStore(config, context);
      try {
        const { windowMs } = config;
        const reader = createStoreReader(store, { windowMs, poolOptions: config.poolOptions });
        const pools = await reader.pools();
        const chosen = pools.filter((pool) => options.pool === undefined || pool.pool === options.pool);
        if (chosen.length === 0)
          throw noPool(
            options.pool,
            pools.map((pool) => pool.pool),
          );
        const results: PoolWindows[] = [];
        for (const { pool, computed_to_ms: computedToMs } of chosen) {
          const untilMs = toMs ?? computedToMs ?? context.clock.nowMs();
          results.push(
            await reader.windows({
              pool,
              windowMs,
              fromMs: fromMs ?? untilMs - HOUR_MS,
              toMs: untilMs,
              withTenants: true,
            }),
          );
        }
        if (options.json === true) printJson(context, results.length === 1 ? results[0] : { pools: results });
        else for (const result of results) context.stdout.write(describeWindows(result));
      } finally {
        await store.close();
      }
    });
}
