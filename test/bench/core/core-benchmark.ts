import { parseArgs } from 'node:util';
import { type Benchmark, type Print, UsageError } from '../benchmark.ts';
import { mebibytes, median, milliseconds, spread, thousands } from '../figures.ts';
import { runTask } from '../run-task.ts';
import { DISCIPLINES, type DisciplineKind } from './backlog.ts';
import {
  type Comparison,
  type DecisionsInput,
  type GuardInput,
  measureDecisions,
  measureGuard,
  measureIdle,
  type Rates,
} from './decision-tasks.ts';
import { type EnduranceFigures, type EnduranceInput, measureEndurance } from './endurance-task.ts';
import {
  type FairServiceInput,
  measureFairService,
  measureMaxMin,
  measureSimulate,
  type SimulateFigures,
  type Times,
} from './share-tasks.ts';

const NAME = 'core';

const USAGE = `usage: npm run bench -- ${NAME} [decisions] [idle] [guard] [shares] [simulate] [OPTIONS]
       npm run bench -- ${NAME} --decisions N [OPTIONS]

  decisions       full decisions a second (offer, take, complete) at 1,000 and 100,000 backlogged tenants
  idle            100 active tenants beside 10,000 idle ones
  guard           the starvation guard over 100,000 waiting requests
  shares          max-min shares of a million tenants, fair service over a day of windows
  simulate        the noisy neighbour, 76,400 requests
  (none named: all)

  --decisions N   instead: N decisions of each discipline in one go, to see that nothing drifts or grows (100000000)
  --discipline D  only this one of ${DISCIPLINES.join(', ')}
  --runs N        measured runs of each (5)`;

const PARTS = ['decisions', 'idle', 'guard', 'shares', 'simulate'];

export const coreBenchmark: Benchmark = {
  name: NAME,
  summary: 'decisions per second of the scheduler core, shares, and a simulation',
  usage: USAGE,
  run,
  // Seam: tasks get back the input that this file gave them.
  tasks: {
    decisions: (input) => measureDecisions(input as DecisionsInput),
    idle: (input) => measureIdle(input as GuardInput),
    guard: (input) => measureGuard(input as GuardInput),
    maxMin: (input) => measureMaxMin(input as { tenants: number; runs: number }),
    fairService: (input) => measureFairService(input as FairServiceInput),
    simulate: (input) => measureSimulate(input as { runs: number }),
    endurance: (input) => measureEndurance(input as EnduranceInput),
  },
};

const task = <Result>(name: string, input: unknown): Promise<Result> => runTask({ benchmark: NAME, name }, input);

interface Choice {
  readonly disciplines: readonly DisciplineKind[];
  readonly runs: number;
}

async function run(args: readonly string[], print: Print): Promise<void> {
  const { values, positionals } = parse(args);
  const disciplines = DISCIPLINES.filter((one) => values.discipline === undefined || one === values.discipline);
  if (disciplines.length === 0) throw new UsageError(`--discipline takes one of ${DISCIPLINES.join(', ')}`);
  const choice = { disciplines, runs: whole('runs', values.runs) };
  if (values.decisions !== undefined) return endure(whole('decisions', values.decisions), choice, print);
  const wrong = positionals.find((part) => !PARTS.includes(part));
  if (wrong !== undefined) throw new UsageError(`${NAME} has no part ${JSON.stringify(wrong)}`);
  const has = (part: string): boolean => positionals.length === 0 || positionals.includes(part);
  if (has('decisions')) await benchDecisions(choice, print);
  if (has('idle')) await benchIdle(choice, print);
  if (has('guard')) await benchGuard(choice, print);
  if (has('shares')) await benchShares(choice, print);
  if (has('simulate')) await benchSimulate(choice, print);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        decisions: { type: 'string' },
        discipline: { type: 'string' },
        runs: { type: 'string', default: '5' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${option} takes a whole number from 1 on`);
  return value;
}

const perSecond = (rates: readonly number[]): string => `${spread(rates, thousands)}/s`;

/** What is wanted at 1,000 backlogged tenants; at 100,000 it is 400,000 for each. */
const WANTED_PER_S: Readonly<Record<DisciplineKind, string>> = {
  drr: '2,000,000',
  wfq: '1,000,000',
  vtc: '1,000,000',
  wf2q: '-',
  fifo: '-',
};
const SIZES = [
  { tenants: 1_000, decisions: 1_000_000, naiveDecisions: 20_000 },
  { tenants: 100_000, decisions: 1_000_000, naiveDecisions: 200 },
];

async function benchDecisions({ disciplines, runs }: Choice, print: Print): Promise<void> {
  for (const { tenants, decisions, naiveDecisions } of SIZES) {
    print(`\ndecisions: ${thousands(tenants)} backlogged tenants, weights 1 to 8`);
    const naiveInput = { discipline: 'naive wfq', tenants, decisions: naiveDecisions, runs };
    const naive = await task<Rates>('decisions', naiveInput);
    for (const discipline of disciplines) {
      const { perS } = await task<Rates>('decisions', { discipline, tenants, decisions, runs });
      const wanted = tenants === 1_000 ? WANTED_PER_S[discipline] : '400,000';
      const ratio = median(perS) / median(naive.perS);
      print(
        `  ${discipline.padEnd(10)} ${perSecond(perS).padEnd(44)} wanted ${wanted.padEnd(10)} ${thousands(ratio)} × naive`,
      );
    }
    print(`  ${'naive wfq'.padEnd(10)} ${perSecond(naive.perS)} (every decision looks at every tenant)`);
  }
}

async function benchIdle({ disciplines, runs }: Choice, print: Print): Promise<void> {
  print('\nidle: 100 active tenants, alone and beside 10,000 that have nothing waiting');
  for (const discipline of disciplines) {
    const { base, other } = await task<Comparison>('idle', { discipline, decisions: 1_000_000, runs });
    const ratio = median(other) / median(base);
    print(
      `  ${discipline.padEnd(10)} ${perSecond(base)}, beside idle ones ${perSecond(other)}: ${ratio.toFixed(2)} (wanted: at least 0.90)`,
    );
  }
}

const GUARDS = [
  { what: 'all overdue, a tenth of what is in service', maxWaitMs: 1, inFlightRatio: 0.1 },
  { what: 'all overdue, without a budget', maxWaitMs: 1, inFlightRatio: 1 },
  { what: 'some overdue, without a budget', maxWaitMs: 1_500, inFlightRatio: 1 },
];

async function benchGuard({ disciplines, runs }: Choice, print: Print): Promise<void> {
  print('\nguard: 100,000 waiting requests of 1,000 tenants, without the starvation guard and with it');
  for (const discipline of disciplines) {
    for (const { what, ...guard } of GUARDS) {
      const input = { discipline, decisions: 500_000, runs, ...guard };
      const { base, other, promotedRatio } = await task<Comparison>('guard', input);
      const ratio = median(base) / median(other);
      print(`  ${discipline.padEnd(5)} ${what} (${(promotedRatio * 100).toFixed(1)}% promoted)`);
      print(`        ${perSecond(base)}, with it ${perSecond(other)}: ${ratio.toFixed(2)} times (wanted: at most 2)`);
    }
  }
}

async function benchShares({ runs }: Choice, print: Print): Promise<void> {
  print('\nshares');
  const { ours, naive } = await task<Times>('maxMin', { tenants: 1_000_000, runs });
  const ratio = median(naive) / median(ours);
  print(`  max-min of 1,000,000 tenants: ${spread(ours, milliseconds)} (wanted: under 400 ms)`);
  print(`  sorted in each call: ${spread(naive, milliseconds)}, ${ratio.toFixed(1)} times as long`);
  const days = await task<readonly number[]>('fairService', { windows: 1_440, tenants: 2_000, runs });
  print(
    `  fair service over 1,440 windows × 2,000 tenants, a tenth contended: ${spread(days, milliseconds)} (wanted: under 1,500 ms)`,
  );
}

async function benchSimulate({ runs }: Choice, print: Print): Promise<void> {
  const { requests, drawMs, policies } = await task<SimulateFigures>('simulate', { runs });
  print(`\nsimulate: the noisy neighbour, ${thousands(requests)} requests, drawn in ${spread(drawMs, milliseconds)}`);
  for (const { policy, elapsedMs } of policies) {
    print(`  ${policy.padEnd(10)} ${spread(elapsedMs, milliseconds)} (wanted: under 200 ms)`);
  }
}

async function endure(decisions: number, { disciplines }: Choice, print: Print): Promise<void> {
  for (const discipline of disciplines) {
    print(
      `\n${discipline}: ${thousands(decisions)} decisions, 1,000 backlogged tenants, actual costs off by up to 2 of 3 to 8`,
    );
    print('      decisions        rate/s        heap   cost/weight apart     missing cost');
    const { checkpoints } = await task<EnduranceFigures>('endurance', { discipline, decisions, tenants: 1_000 });
    for (const { decisions: made, perS, heapBytes, spreadCost, missingCost } of checkpoints) {
      const cells = [thousands(made).padStart(13), thousands(perS).padStart(12), mebibytes(heapBytes).padStart(10)];
      print(`  ${cells.join('  ')}  ${spreadCost.toFixed(1).padStart(18)}  ${String(missingCost).padStart(16)}`);
    }
  }
}
