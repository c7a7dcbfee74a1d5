import type { Command } from 'commander';
import { type AlertRule, DEFAULT_MIN_SAMPLES } from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { type Config, DEFAULT_DATA_DIR, loadConfig } from '../load-config.ts';
import { runUp } from '../roles/run-up.ts';
import { portOption } from './option-values.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface UpOptions extends StoreFlags {
  readonly demo?: boolean;
  readonly policy: string;
  readonly port?: string;
  readonly json?: boolean;
}

export function addUp(program: Command, context: CliContext): void {
  addStoreOptions(program.command('up').description('intake, jobs, API and pages in one process'))
    .option('--port <n>', 'port of the pages and the intake; 0 takes a free one')
    .option('--demo', 'add live traffic from a simulated gateway with a noisy neighbour, in a data folder of its own')
    .option('--policy <name>', 'how the demo gateway schedules: fifo or drr', 'fifo')
    .option('--json', 'print the address as JSON once it listens')
    .addHelpText('after', '\nExample:\n  evenshare up --demo --policy drr\n')
    .action(async (options: UpOptions) => {
      const { policy } = options;
      if (policy !== 'fifo' && policy !== 'drr') {
        throw new EvenshareError('EVS_USAGE', `--policy "${policy}" must be fifo or drr`);
      }
      const loaded = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const config = {
        ...withDemo(loaded, options),
        http: { ...loaded.http, port: portOption(options.port, loaded.http.port) },
      };
      await runUp(context, config, { demo: options.demo === true ? policy : null, json: options.json === true });
    });
}

/** A rule to watch the demo's noisy neighbour with, where the configuration has none. */
const DEMO_RULE: AlertRule = {
  name: 'in-share-wait',
  pools: null,
  thresholdMs: 5_000,
  forWindows: 2,
  minSamples: DEFAULT_MIN_SAMPLES,
};

/** The demo's traffic must not end up among real requests: without a named store it has a folder of its own. */
function withDemo(config: Config, options: UpOptions): Config {
  if (options.demo !== true) return config;
  const hasStore = config.hasStore || options.dataDir !== undefined;
  const hasRules = config.alerts.rules.length > 0;
  return {
    ...config,
    ...(hasStore ? {} : { store: { kind: 'embedded', path: `${DEFAULT_DATA_DIR}-demo-${options.policy}` } }),
    ...(hasRules ? {} : { alerts: { ...config.alerts, rules: [DEMO_RULE], stdout: true } }),
  };
}
