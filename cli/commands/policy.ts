import type { Command } from 'commander';
import {
  type AppliedPolicy,
  applyPolicy,
  listPolicies,
  type PolicyHead,
  policyAt,
  policyDocument,
  readPolicyAt,
  readPolicySource,
} from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/index.ts';
import type { CliContext } from '../context.ts';
import { formatTable, printJson } from '../output.ts';
import { timeOption } from './option-values.ts';
import { addPolicyDiff } from './policy-diff.ts';
import { poolOption, readPolicyFile, withPolicyStore } from './policy-store.ts';
import { diffJson, diffText, policyHeadJson, policyWords, shellWord, shownName, timeText } from './policy-text.ts';
import { addStoreOptions, type StoreFlags } from './store-flags.ts';

/** So many changes are shown of a policy that was applied. */
const SHOWN_CHANGES = 20;
const SHOWN_DIGEST = 12;

export function addPolicy(program: Command, context: CliContext): void {
  const policy = program
    .command('policy')
    .description('policies of pools: weights, groups and quotas, each from when it holds')
    .addHelpText('after', '\nExample:\n  evenshare policy apply policy.yaml --pool llm-a\n');
  addApply(policy, program, context);
  addList(policy, program, context);
  addShow(policy, program, context);
  addPolicyDiff(policy, program, context);
}

interface ApplyOptions extends StoreFlags {
  readonly pool: string;
  readonly from?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

function addApply(policy: Command, program: Command, context: CliContext): void {
  const command = policy
    .command('apply')
    .description('store from when a policy holds in a pool')
    .argument('<file>', 'a policy file')
    .requiredOption('--pool <name>', 'the pool; it need not have requests yet')
    .option('--from <time>', 'from when it holds, past or future; default now')
    .option('--dry-run', 'say what would change')
    .option('--json', 'print the result as JSON');
  addStoreOptions(command)
    .addHelpText('after', '\nExample:\n  evenshare policy apply policy.yaml --pool llm-a --from 2026-11-01T00:00:00Z\n')
    .action(async (file: string, options: ApplyOptions) => {
      const pool = poolOption(options.pool);
      const nowMs = context.clock.nowMs();
      const atMs = options.from === undefined ? nowMs : timeOption('--from', options.from);
      const dryRun = options.dryRun === true;
      const read = await readPolicyFile(file);
      const applied = await withPolicyStore({ program, context, flags: options }, (store, { windowMs }) =>
        applyPolicy(store, { ...read, pool, atMs, nowMs, windowMs, dryRun }),
      );
      const shown = { pool, name: read.policy.name, atMs, dryRun, applied, recompute: recomputeCommand(options, atMs) };
      if (options.json === true) printJson(context, applyJson(shown));
      else context.stdout.write(applyText(shown));
    });
}

interface ShownApply {
  readonly pool: string;
  readonly name: string;
  readonly atMs: number;
  readonly dryRun: boolean;
  readonly applied: AppliedPolicy;
  readonly recompute: string;
}

function recomputeCommand({ pool, dataDir }: ApplyOptions, atMs: number): string {
  const store = dataDir === undefined ? '' : ` --data-dir ${shellWord(dataDir)}`;
  return `evenshare analyze --from ${timeText(atMs)} --pool ${shellWord(pool)}${store}`;
}

function applyText({ pool, name, atMs, dryRun, applied, recompute }: ShownApply): string {
  const { outcome, before, changes, untilMs, windowsToRecompute: windows } = applied;
  const span = `from ${timeText(atMs)}${untilMs === null ? '' : ` until ${timeText(untilMs)}`}`;
  if (outcome === 'unchanged') return `pool ${shownName(pool)}: ${shownName(name)} holds ${span} already\n`;
  const head = `pool ${shownName(pool)}: ${shownName(name)} ${dryRun ? 'would hold' : 'holds'} ${span}`;
  const instead = `instead of ${policyWords(before)}`;
  const stored = `${windows} stored ${windows === 1 ? 'window' : 'windows'}`;
  const waiting =
    windows === 0
      ? ''
      : dryRun
        ? `${stored} would be to recompute: ${recompute}\n`
        : `${stored} from then on ${windows === 1 ? 'is' : 'are'} not yet recomputed: ${recompute}\n`;
  return `${head}, ${instead}\n${diffText(changes, SHOWN_CHANGES)}${waiting}`;
}

function applyJson({ pool, name, atMs, dryRun, applied, recompute }: ShownApply) {
  const { outcome, digest, before, changes, untilMs, windowsToRecompute } = applied;
  return {
    pool,
    outcome,
    dry_run: dryRun,
    name,
    digest,
    from: timeText(atMs),
    until: untilMs === null ? null : timeText(untilMs),
    before: policyHeadJson(before),
    changes: diffJson(changes),
    windows_to_recompute: windowsToRecompute,
    recompute_command: windowsToRecompute === 0 ? null : recompute,
  };
}

interface ListOptions extends StoreFlags {
  readonly pool?: string;
  readonly json?: boolean;
}

function addList(policy: Command, program: Command, context: CliContext): void {
  addStoreOptions(policy.command('list').description('the policies in the store, by pool and time'))
    .option('--pool <name>', 'one pool; default all')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare policy list --pool llm-a\n')
    .action(async (options: ListOptions) => {
      const pool = options.pool === undefined ? null : poolOption(options.pool);
      const heads = await withPolicyStore({ program, context, flags: options }, (store) => listPolicies(store, pool));
      if (options.json === true) printJson(context, { policies: heads.map((head, i) => headJson(head, heads[i + 1])) });
      else context.stdout.write(listText(heads));
    });
}

function listText(heads: readonly PolicyHead[]): string {
  if (heads.length === 0) return 'no policies\n';
  return formatTable(heads, [
    { title: 'pool', value: ({ pool }) => pool },
    { title: 'from', value: ({ atMs }) => timeText(atMs) },
    { title: 'policy', value: ({ name }) => name },
    { title: 'tenants', value: ({ tenants }) => String(tenants), align: 'right' },
    { title: 'groups', value: ({ groups }) => String(groups), align: 'right' },
    { title: 'digest', value: ({ digest }) => digest.slice(0, SHOWN_DIGEST) },
    { title: 'applied', value: ({ appliedAtMs }) => timeText(appliedAtMs) },
  ]);
}

/** `next`: the row after it, perhaps of another pool. */
function headJson(head: PolicyHead, next: PolicyHead | undefined) {
  return {
    pool: head.pool,
    name: head.name,
    digest: head.digest,
    from: timeText(head.atMs),
    until: next?.pool === head.pool ? timeText(next.atMs) : null,
    tenants: head.tenants,
    groups: head.groups,
    applied_at: timeText(head.appliedAtMs),
  };
}

interface ShowOptions extends StoreFlags {
  readonly pool: string;
  readonly at?: string;
  readonly json?: boolean;
}

function addShow(policy: Command, program: Command, context: CliContext): void {
  const command = policy
    .command('show')
    .description('the policy that holds in a pool: the file as it was, or what analytics reads in it')
    .requiredOption('--pool <name>', 'the pool')
    .option('--at <time>', 'the one that held, or will hold, then; default now')
    .option('--json', 'what analytics reads in it, as JSON');
  addStoreOptions(command)
    .addHelpText('after', '\nExample:\n  evenshare policy show --pool llm-a --at 2026-11-01T14:05:00Z\n')
    .action(async (options: ShowOptions) => {
      const pool = poolOption(options.pool);
      const atMs = options.at === undefined ? context.clock.nowMs() : timeOption('--at', options.at);
      await withPolicyStore({ program, context, flags: options }, async (store) => {
        const heads = await listPolicies(store, pool);
        const head = policyAt(heads, atMs);
        if (head === null) throw noneHolds(pool, atMs, heads);
        if (options.json !== true) {
          context.stdout.write((await readPolicySource(store, pool, head.atMs)) ?? '');
          return;
        }
        const read = await readPolicyAt(store, pool, head.atMs);
        const shown = headJson(head, heads[heads.indexOf(head) + 1]);
        printJson(context, { ...shown, policy: read === null ? null : policyDocument(read.terms) });
      });
    });
}

function noneHolds(pool: string, atMs: number, heads: readonly PolicyHead[]): EvenshareError {
  const [first] = heads;
  const mend =
    first === undefined
      ? '"evenshare policy apply" stores one, "evenshare policy list" has them all'
      : `its first holds from ${timeText(first.atMs)}`;
  return new EvenshareError('EVS_USAGE', `no policy holds in pool ${shownName(pool)} at ${timeText(atMs)}: ${mend}`);
}
