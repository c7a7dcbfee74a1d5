import type { Command } from 'commander';
import { createStoreReader, type ExplainAnswer, type Explanation, explainAt } from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { printable, printJson } from '../output.ts';
import { openStore } from '../wire.ts';
import { noPool } from './analyze.ts';
import { describeExplanation } from './explain-text.ts';
import { timeOption } from './option-values.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface ExplainOptions extends StoreFlags {
  readonly pool: string;
  readonly at: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

export function addExplain(program: Command, context: CliContext): void {
  addStoreOptions(program.command('explain').description('why a window, or a tenant in it, has its verdict'))
    .requiredOption('--pool <name>', 'the pool')
    .requiredOption('--at <time>', 'any moment of the window')
    .option('--tenant <name>', 'one tenant; default the whole window')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare explain --pool llm-a --at 2026-11-01T14:05:00Z --tenant small03\n')
    .action(async (options: ExplainOptions) => {
      const { pool, tenant = null } = options;
      const atMs = timeOption('--at', options.at);
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const store = await openStore(config, context);
      try {
        const { windowMs } = config;
        const reader = createStoreReader(store, { windowMs, poolOptions: config.poolOptions });
        const explanation = explained(await explainAt(reader, { pool, atMs, windowMs, tenant }), pool);
        if (options.json === true) printJson(context, explanation);
        else context.stdout.write(describeExplanation(explanation));
      } finally {
        await store.close();
      }
    });
}

/** The explanation; throws `EVS_USAGE` with what there is instead. */
function explained(answer: ExplainAnswer, pool: string): Explanation {
  switch (answer.kind) {
    case 'explained':
      return answer.explanation;
    case 'no_pool':
      throw noPool(printable(pool), answer.pools.map(printable));
    case 'no_window':
    case 'no_tenant':
      throw new EvenshareError('EVS_USAGE', answer.detail);
  }
}
