import type { Command } from 'commander';
import { migrate, migrationStatements, openClickHouse, readMigrations } from '../../analytics/storage/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { printJson } from '../output.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface MigrateOptions extends StoreFlags {
  readonly dryRun?: boolean;
  readonly sql?: boolean;
  readonly json?: boolean;
}

export function addMigrate(program: Command, context: CliContext): void {
  addStoreOptions(program.command('migrate').description("bring the store's tables to this version"))
    .option('--dry-run', 'only say what would be done')
    .option('--sql', 'only print every statement as the configured store would get it, without opening it')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  evenshare migrate --dry-run\n  evenshare migrate --sql\n')
    .action(async (options: MigrateOptions) => {
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      if (options.sql === true) {
        const cluster = config.store.kind === 'server' ? config.store.cluster : undefined;
        const statements = migrationStatements(await readMigrations(), cluster);
        if (options.json === true) printJson(context, { statements });
        else context.stdout.write(statements.map((sql) => `${sql.trim()};\n\n`).join(''));
        return;
      }
      const store = await openClickHouse(config.store);
      try {
        const report = await migrate(store, { dryRun: options.dryRun === true });
        if (options.json === true) printJson(context, report);
        else {
          const names = [...report.applied, ...report.pending];
          const done = options.dryRun === true ? 'would apply' : 'applied';
          context.stdout.write(
            names.length === 0 ? `up to date at ${report.current}\n` : `${done} ${names.join(', ')}\n`,
          );
        }
      } finally {
        await store.close();
      }
    });
}
