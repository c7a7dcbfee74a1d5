import type { Command } from 'commander';
import { adapters } from '../../ingest/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { printJson } from '../output.ts';
import { openStore, openWriter } from '../wire.ts';
import { dryRun } from './dry-run.ts';
import { followFiles } from './follow-files.ts';
import { addFileOptions, describeLoad, type FileOptions, loadFiles, openFormat } from './load-files.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface LoadOptions extends FileOptions, StoreFlags {
  readonly dryRun?: boolean;
  readonly follow?: boolean;
  readonly positions?: string;
  readonly json?: boolean;
}

export function addLoad(program: Command, context: CliContext): void {
  const formats = adapters.map((adapter) => `  ${adapter.name.padEnd(17)} ${adapter.summary}`).join('\n');
  addStoreOptions(addFileOptions(program.command('load').description('load log files into the store')))
    .option('--dry-run', 'show the first ten events, what is derived and what is absent; store nothing')
    .option('--follow', 'go on as the files grow, through rotation, until SIGINT or SIGTERM; resumes where it stopped')
    .option('--positions <folder>', 'where --follow keeps how far it has read; default: in the data folder')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `\nFormats:\n${formats}\n\nExamples:\n  evenshare load gateway.ndjson.gz --pool llm-a\n  evenshare load access.log --format envoy --map envoy.yaml --dry-run\n  evenshare load /var/log/nginx/access.log --format nginx --map nginx.yaml --follow\n`,
    )
    .action(async (files: string[], options: LoadOptions) => {
      const format = await openFormat(options);
      if (options.dryRun === true) {
        await dryRun(context, files, format, options.json === true);
        return;
      }
      const global = program.opts<GlobalOptions>();
      const config = withStoreFlags(await loadConfig(global.config, context.env), options);
      const store = await openStore(config, context);
      try {
        const writer = openWriter(store, context);
        const { positions } = options;
        const report =
          options.follow === true
            ? await followFiles(context, files, { format, writer, config, positions })
            : await loadFiles(context, files, format, writer);
        const { accepted, duplicate, conflict, skewed, rejected } = report;
        if (options.json === true)
          printJson(context, { accepted, duplicate, conflict, skewed, rejected, samples: report.samples });
        else context.stdout.write(`${describeLoad(report)}next: evenshare analyze, then evenshare fairness\n`);
      } finally {
        await store.close();
      }
    });
}
