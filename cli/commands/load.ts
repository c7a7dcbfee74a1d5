import type { Command } from 'commander';
import { adapters } from '../../ingest/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { printJson } from '../output.ts';
import { openStore, openWriter } from '../wire.ts';
import { addFileOptions, describeLoad, type FileOptions, loadFiles, openFormat } from './load-files.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface LoadOptions extends FileOptions, StoreFlags {
  readonly json?: boolean;
}

export function addLoad(program: Command, context: CliContext): void {
  const formats = adapters.map((adapter) => `  ${adapter.name.padEnd(12)} ${adapter.summary}`).join('\n');
  addStoreOptions(addFileOptions(program.command('load').description('load log files into the store')))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `\nFormats:\n${formats}\n\nExample:\n  evenshare load gateway.ndjson.gz --pool llm-a\n`)
    .action(async (files: string[], options: LoadOptions) => {
      const format = await openFormat(options);
      const global = program.opts<GlobalOptions>();
      const config = withStoreFlags(await loadConfig(global.config, context.env), options);
      const store = await openStore(config, context);
      try {
        const report = await loadFiles(context, files, format, openWriter(store, context));
        const { accepted, duplicate, conflict, skewed, rejected } = report;
        if (options.json === true)
          printJson(context, { accepted, duplicate, conflict, skewed, rejected, samples: report.samples });
        else context.stdout.write(`${describeLoad(report)}next: evenshare analyze, then evenshare fairness\n`);
      } finally {
        await store.close();
      }
    });
}
