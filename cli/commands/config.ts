import type { Command } from 'commander';
import { policySchema } from '../../scheduler-core/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { ConfigSchema, loadConfig } from '../load-config.ts';
import { printJson } from '../output.ts';
import { checkExposure } from '../roles/http-role.ts';

export function addConfig(program: Command, context: CliContext): void {
  const config = program
    .command('config')
    .description('the configuration file')
    .addHelpText('after', '\nExample:\n  evenshare config check\n');
  config
    .command('check')
    .description('check the configuration and show what holds')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare config check --config evenshare.yaml\n')
    .action(async (options: { readonly json?: boolean }) => {
      const loaded = await loadConfig(program.opts<GlobalOptions>().config, context.env);
      checkExposure(loaded);
      // Secrets are never shown, not even that they are long.
      const store = loaded.store.kind === 'server' ? { kind: 'server', database: loaded.store.database } : loaded.store;
      const shown = {
        path: loaded.path,
        store,
        window_ms: loaded.windowMs,
        pools: loaded.pools,
        pool_defaults: loaded.poolDefaults,
        retention: loaded.retention,
        intake: loaded.intake,
        http: { host: loaded.http.host, port: loaded.http.port, tokens: loaded.http.tokens.map(({ scope }) => scope) },
      };
      if (options.json === true) printJson(context, shown);
      else context.stdout.write(`${loaded.path ?? 'no configuration file: defaults'} is right\n`);
    });
  config
    .command('schema')
    .description('print the JSON schema of the configuration, or of policy files, for editors')
    .option('--policy', 'the schema of policy files')
    .addHelpText(
      'after',
      '\nExamples:\n  evenshare config schema > evenshare.schema.json\n  evenshare config schema --policy > policy.schema.json\n',
    )
    .action((options: { readonly policy?: boolean }) =>
      printJson(context, options.policy === true ? policySchema : ConfigSchema),
    );
}
