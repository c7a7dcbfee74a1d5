import type { Command } from 'commander';
import {
  diffPolicies,
  policyDigest,
  policyTerms,
  readPolicyAt,
  type Store,
  type StoredPolicy,
} from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/index.ts';
import type { CliContext } from '../context.ts';
import { printJson } from '../output.ts';
import { timeOption } from './option-values.ts';
import { poolOption, readPolicyFile, withPolicyStore } from './policy-store.ts';
import { diffJson, diffText, policyWords, shownName, timeText } from './policy-text.ts';
import { addStoreOptions, type StoreFlags } from './store-flags.ts';

interface DiffOptions extends StoreFlags {
  readonly pool: string;
  readonly at?: string;
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
}

export function addPolicyDiff(policy: Command, program: Command, context: CliContext): void {
  const command = policy
    .command('diff')
    .description('what a file would change, or what changed between two times')
    .argument('[file]', 'a policy file, compared with what holds')
    .requiredOption('--pool <name>', 'the pool')
    .option('--at <time>', 'compare the file with what holds then; default now')
    .option('--from <time>', 'without a file: compare what holds then …')
    .option('--to <time>', '… with what holds then')
    .option('--json', 'print the result as JSON');
  addStoreOptions(command)
    .addHelpText(
      'after',
      '\nExamples:\n  evenshare policy diff policy.yaml --pool llm-a\n  evenshare policy diff --pool llm-a --from 2026-10-01 --to 2026-11-01\n',
    )
    .action(async (file: string | undefined, options: DiffOptions) => {
      const pool = poolOption(options.pool);
      const compare = file === undefined ? betweenTimes(options) : await withFile(file, options, context);
      const sides = await withPolicyStore({ program, context, flags: options }, (store) => compare(store, pool));
      const changes = diffPolicies(sides.before?.terms ?? null, sides.after?.terms ?? null);
      if (options.json === true) {
        const { before, after } = sides;
        printJson(context, { pool, before: sideJson(before), after: sideJson(after), changes: diffJson(changes) });
        return;
      }
      const head = `pool ${shownName(pool)}: ${sideWords(sides.before)} → ${sideWords(sides.after)}`;
      context.stdout.write(`${head}\n${diffText(changes, Number.POSITIVE_INFINITY)}`);
    });
}

/** One of the two that are compared: in the store, where it has a time, or in a file. */
type Side = Pick<StoredPolicy, 'name' | 'terms' | 'digest'> & { readonly atMs: number | null };
type Compare = (store: Store, pool: string) => Promise<{ readonly before: Side | null; readonly after: Side | null }>;

async function withFile(file: string, options: DiffOptions, context: CliContext): Promise<Compare> {
  if (options.from !== undefined || options.to !== undefined) {
    throw new EvenshareError('EVS_USAGE', '--from and --to compare two times: leave FILE out, or use --at');
  }
  const atMs = options.at === undefined ? context.clock.nowMs() : timeOption('--at', options.at);
  const { policy } = await readPolicyFile(file);
  const terms = policyTerms(policy);
  return async (store, pool) => ({
    before: await readPolicyAt(store, pool, atMs),
    after: { name: policy.name, terms, digest: policyDigest(terms), atMs: null },
  });
}

function betweenTimes({ at, from, to }: DiffOptions): Compare {
  if (from === undefined || to === undefined || at !== undefined) {
    throw new EvenshareError('EVS_USAGE', 'name a policy FILE to compare, or two times with --from and --to');
  }
  const fromMs = timeOption('--from', from);
  const toMs = timeOption('--to', to);
  return async (store, pool) => ({
    before: await readPolicyAt(store, pool, fromMs),
    after: await readPolicyAt(store, pool, toMs),
  });
}

function sideWords(side: Side | null): string {
  if (side === null || side.atMs === null)
    return side === null ? policyWords(null) : `${shownName(side.name)} (the file)`;
  return policyWords({ name: side.name, atMs: side.atMs });
}

/** `from` is null for a file. */
function sideJson(side: Side | null) {
  if (side === null) return null;
  return { name: side.name, digest: side.digest, from: side.atMs === null ? null : timeText(side.atMs) };
}
