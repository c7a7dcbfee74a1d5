import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from '../context.ts';
import { type Config, loadConfig } from '../load-config.ts';
import { runIngest } from '../roles/run-ingest.ts';
import { runJobs } from '../roles/run-jobs.ts';
import { runServe } from '../roles/run-serve.ts';
import { portOption } from './option-values.ts';

interface RoleOptions {
  readonly port?: string;
}

/** The roles of a fleet, one process each; one machine has `up`. */
export function addRoles(program: Command, context: CliContext): void {
  const add = (
    name: string,
    description: string,
    run: (context: CliContext, config: Config) => Promise<void>,
  ): void => {
    program
      .command(name)
      .description(description)
      .option('--port <n>', 'port of health and metrics, and of what the role serves; 0 takes a free one')
      .addHelpText('after', `\nExample:\n  evenshare ${name} --config evenshare.yaml\n`)
      .action(async (options: RoleOptions) => {
        const config = await loadConfig(program.opts<GlobalOptions>().config, context.env);
        await run(context, { ...config, http: { ...config.http, port: portOption(options.port, config.http.port) } });
      });
  };
  add('ingest', 'read events from Kafka into the store (a role of a fleet)', runIngest);
  add('jobs', 'compute windows, alerts and reports (a role of a fleet)', runJobs);
  add('serve', 'pages, API and HTTP intake (a role of a fleet)', runServe);
}
