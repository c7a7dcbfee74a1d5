import { basename } from 'node:path';
import type { Command } from 'commander';
import type { CostUnit } from '../../ingest/index.ts';
import {
  EvenshareError,
  type Fidelity,
  meanCost,
  type Policy,
  type RecordedRequest,
  type ReplayResult,
  replay,
  type Span,
} from '../../scheduler-core/index.ts';
import type { CliContext } from '../context.ts';
import { formatFigure, printJson } from '../output.ts';
import { LogInMemory, type PoolLog } from '../read-log.ts';
import { choosePolicies } from './choose-policies.ts';
import { addFileOptions, describeLoad, type FileOptions, loadFiles, openFormat } from './load-files.ts';
import { collect, costUnitOption, positiveOption, seedOption, timeOption } from './option-values.ts';
import { describeSimulation } from './simulation-text.ts';

interface ReplayFlags extends FileOptions {
  readonly slots?: string;
  readonly costUnit?: string;
  readonly policy: readonly string[];
  readonly recordedUnder?: string;
  readonly from?: string;
  readonly to?: string;
  readonly seed?: string;
  readonly json?: boolean;
}

export function addReplay(program: Command, context: CliContext): void {
  addFileOptions(
    program.command('replay').description('a recorded log under other policies, side by side with what was recorded'),
  )
    .option('--slots <n>', 'servers of the pool; default as the pool announces itself in the log')
    .option('--policy <name|file>', 'fifo, drr, wfq, wf2q, vtc, or a policy file; repeatable', collect, [])
    .option('--recorded-under <name|file>', 'policy that the log was made under: tells how faithful the replay is')
    .option('--cost-unit <unit>', 'requests, service_ms or tokens; default what the format carries')
    .option('--from <time>', 'start of the span of shares and waits; default the first arrival')
    .option('--to <time>', 'end of that span; default the end of the log')
    .option('--seed <n>', 'seed of the chances that policies take', '1')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  evenshare replay gateway.ndjson --slots 8 --recorded-under fifo --policy drr --policy new.yaml\n',
    )
    .action(async (files: string[], flags: ReplayFlags) => {
      const format = await openFormat(flags);
      const costUnit = costUnitOption(flags.costUnit) ?? format.adapter.costUnit;
      const seed = seedOption('--seed', flags.seed ?? '1');
      const given = flags.slots === undefined ? null : positiveOption('--slots', flags.slots);
      const log = new LogInMemory();
      const report = await loadFiles(context, files, format, log);
      if (flags.json !== true) context.stderr.write(describeLoad(report));
      const pool = choosePool(log.pools(), flags.pool);
      const { requests, announcedSlots } = log.pool(pool);
      const slots = given ?? slotsOf(pool, announcedSlots);
      const policies = await readPolicies(flags, requests, costUnit);
      const result = replay(requests, policies.compared, {
        pool,
        name: files.map((file) => (file === '-' ? 'standard input' : basename(file))).join(', '),
        slots,
        costUnit,
        seed,
        recordedUnder: policies.recordedUnder,
        ...measuredSpan(flags, requests),
      });
      warnOfSlots(context, result);
      if (flags.json === true) printJson(context, result);
      else context.stdout.write(describeSimulation(result) + describeFidelity(result));
    });
}

/** The figures of a record that does not fit the pool are those of another pool. */
function warnOfSlots(context: CliContext, { recorded_most_slots: most, slots, pool }: ReplayResult): void {
  if (most <= slots) return;
  context.stderr.write(
    `evenshare: the log has up to ${most} slots in service at once, more than the ${slots} of pool "${pool}": its own figures and the replayed ones are not of one pool; give --slots ${most} or more\n`,
  );
}

function choosePool(pools: readonly string[], wanted: string | undefined): string {
  const [first, ...others] = pools;
  if (first === undefined) throw new EvenshareError('EVS_USAGE', 'the log holds no requests: nothing to replay');
  if (wanted !== undefined) {
    if (pools.includes(wanted)) return wanted;
    throw new EvenshareError('EVS_USAGE', `the log has no pool "${wanted}": it has ${pools.join(', ')}`);
  }
  if (others.length === 0) return first;
  throw new EvenshareError('EVS_USAGE', `the log has several pools: choose one with --pool of ${pools.join(', ')}`);
}

function slotsOf(pool: string, announced: PoolLog['announcedSlots']): number {
  if (announced !== null) return announced;
  throw new EvenshareError('EVS_USAGE', `the log does not tell how many servers pool "${pool}" has: give --slots`);
}

async function readPolicies(
  flags: ReplayFlags,
  requests: readonly RecordedRequest[],
  costUnit: CostUnit,
): Promise<{ readonly compared: readonly Policy[]; readonly recordedUnder: Policy | null }> {
  const quantumCost = meanCost(requests, costUnit);
  const plain = { costUnit, ...(quantumCost > 0 ? { quantumCost } : {}) };
  const compared = await choosePolicies({ ...plain, wanted: flags.policy, known: [] });
  if (flags.recordedUnder === undefined) return { compared, recordedUnder: null };
  // The same word means the same policy, simulated once.
  const index = flags.policy.indexOf(flags.recordedUnder);
  const wanted = [flags.recordedUnder];
  const [read] = index >= 0 ? [] : await choosePolicies({ ...plain, wanted, known: [] });
  return { compared, recordedUnder: compared[index] ?? read ?? null };
}

function measuredSpan(flags: ReplayFlags, requests: readonly RecordedRequest[]): { readonly measured?: Span } {
  if (flags.from === undefined && flags.to === undefined) return {};
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = 0;
  for (const { arrivedAtMs, completedAtMs } of requests) {
    firstMs = Math.min(firstMs, arrivedAtMs);
    lastMs = Math.max(lastMs, completedAtMs ?? arrivedAtMs);
  }
  const fromMs = flags.from === undefined ? firstMs : timeOption('--from', flags.from);
  const toMs = flags.to === undefined ? lastMs : timeOption('--to', flags.to);
  if (toMs <= fromMs) throw new EvenshareError('EVS_USAGE', '--to must be after --from');
  return { measured: { fromMs, toMs } };
}

function describeFidelity({ fidelity, fidelity_reason: reason, service_times: basis }: ReplayResult): string {
  const times = `service times: ${basis.measured} measured, ${basis.bounded} bounded, ${basis.imputed} imputed\n`;
  if (fidelity === null) return `${times}fidelity: not known (${WHY[reason ?? 'recorded_policy_not_named']})\n`;
  return `${times}fidelity under ${fidelity.policy}: ${describeDistance(fidelity)}\n`;
}

const WHY = {
  recorded_policy_not_named: 'name the policy of the log with --recorded-under',
  no_waits: 'the log does not tell how long requests waited',
};

function describeDistance(fidelity: Fidelity): string {
  const percent = (ratio: number | null): string => (ratio === null ? '–' : `${formatFigure(100 * ratio, 1)}%`);
  return [
    `wait p50 ${percent(fidelity.wait_p50_error_ratio)}`,
    `p99 ${percent(fidelity.wait_p99_error_ratio)}`,
    `KS ${formatFigure(fidelity.ks)}`,
    `W1/mean ${formatFigure(fidelity.w1_over_mean)}`,
    `Jain ${formatFigure(fidelity.jain_recorded)} recorded, ${formatFigure(fidelity.jain_replayed)} replayed`,
    `rejections ${fidelity.rejections_recorded} and ${fidelity.rejections_replayed}`,
  ].join(', ');
}
