import type { Command } from 'commander';
import { EvenshareError, type Policy, type Scenario } from '../../scheduler-core/index.ts';
import type { CliContext } from '../context.ts';
import { formatTable, printJson } from '../output.ts';
import { startProgress } from '../progress.ts';
import { openScenario, scenarioNames } from '../scenarios.ts';
import { choosePolicies } from './choose-policies.ts';
import { collect, positiveOption, seedOption } from './option-values.ts';
import { describeSeedFigures, figuresOverSeeds, seedsOption } from './seed-table.ts';
import { simulateInTurns } from './simulate-in-turns.ts';
import { describeSimulation } from './simulation-text.ts';

interface SimulateFlags {
  readonly policy: readonly string[];
  readonly seed?: string;
  readonly seeds?: string;
  readonly slots?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

export function addSimulate(program: Command, context: CliContext): void {
  program
    .command('simulate')
    .description('a synthetic scenario under one or several policies, side by side')
    .argument('[scenario]', 'name of a scenario (--list), or a file ending in .yaml')
    .option('--policy <name|file>', 'policy of the scenario, a plain discipline, or a file; repeatable', collect, [])
    .option('--seed <n>', 'seed of all chance; default that of the scenario')
    .option('--seeds <range>', 'many seeds, such as 1-50: least, median and largest of each figure')
    .option('--slots <n>', 'servers of the pool; default those of the scenario')
    .option('--list', 'list the scenarios that come with the program')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  evenshare simulate noisy-neighbour\n' +
        '  evenshare simulate noisy-neighbour --policy fifo --policy my-policy.yaml --seed 7 --json\n' +
        '  evenshare simulate noisy-neighbour --seeds 1-50\n',
    )
    .action(async (name: string | undefined, flags: SimulateFlags) => {
      if (flags.list === true) return listScenarios(context, flags.json === true);
      if (name === undefined) {
        throw new EvenshareError('EVS_USAGE', 'name a scenario: "evenshare simulate --list" shows them');
      }
      if (flags.seed !== undefined && flags.seeds !== undefined) {
        throw new EvenshareError('EVS_USAGE', 'give either --seed or --seeds');
      }
      const scenario = await openScenario(name);
      const policies = await policiesOf(scenario, flags.policy);
      const slots = flags.slots === undefined ? scenario.slots : positiveOption('--slots', flags.slots);
      checkSlots(scenario, slots);
      if (flags.seeds !== undefined) {
        const rows = await figuresOverSeeds(context, { scenario, policies, slots, seeds: seedsOption(flags.seeds) });
        if (flags.json === true) printJson(context, { scenario: scenario.name, figures: rows });
        else context.stdout.write(describeSeedFigures(rows));
        return;
      }
      const seed = flags.seed === undefined ? scenario.seed : seedOption('--seed', flags.seed);
      const progress = startProgress(context, scenario.name);
      const onPolicy = (done: number): void => progress.update(done, policies.length);
      const result = await simulateInTurns(context, scenario, { seed, slots, policies, onPolicy });
      progress.stop();
      if (flags.json === true) printJson(context, result);
      else context.stdout.write(describeSimulation(result));
    });
}

async function listScenarios(context: CliContext, asJson: boolean): Promise<void> {
  const scenarios: { name: string; about: string; policies: string[] }[] = [];
  for (const name of await scenarioNames()) {
    const { about, policies } = await openScenario(name);
    scenarios.push({ name, about, policies: policies.map((policy) => policy.name) });
  }
  if (asJson) return printJson(context, { scenarios });
  context.stdout.write(
    formatTable(scenarios, [
      { title: 'scenario', value: ({ name }) => name },
      { title: 'about', value: ({ about }) => about },
    ]),
  );
}

async function policiesOf(scenario: Scenario, wanted: readonly string[]): Promise<readonly Policy[]> {
  if (wanted.length === 0) return scenario.policies;
  // A plain discipline counts what the scenario's own policies count.
  const costUnit = scenario.policies[0]?.costUnit ?? 'requests';
  return choosePolicies({ wanted, known: scenario.policies, costUnit });
}

/** What no worker could ever serve would wait for ever. */
function checkSlots(scenario: Scenario, slots: number): void {
  const most = Math.max(slots / scenario.workers.count, ...scenario.slotChanges.map((change) => change.slots));
  const widest = Math.max(...scenario.loads.map((load) => load.slots ?? 1));
  if (widest > most) {
    throw new EvenshareError(
      'EVS_USAGE',
      `--slots ${slots} is too few: a request of the scenario needs ${widest} at once`,
    );
  }
}
