import type { Command } from 'commander';
import { countDeadLetters, type DeadLetterEntry, readDeadLetterBytes, readDeadLetters } from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { formatTable, printable, printJson } from '../output.ts';
import { shownBytes } from '../shown-bytes.ts';
import { openStore } from '../wire.ts';
import { findLetter } from './dlq-find.ts';
import { addLetterFilters, filterOf, idPrefix, type LetterFlags } from './dlq-flags.ts';
import { addRetry } from './dlq-retry.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

const DEFAULT_LISTED = 100;
const DEFAULT_SHOWN_BYTES = 4_096;

export function addDlq(program: Command, context: CliContext): void {
  const dlq = program
    .command('dlq')
    .description('dead letters: records that became no event')
    .addHelpText('after', '\nExample:\n  evenshare dlq list --code time_unit\n');
  addList(dlq, program, context);
  addShow(dlq, program, context);
  addRetry(dlq, program, context);
}

interface ListOptions extends LetterFlags, StoreFlags {
  readonly all?: boolean;
  readonly json?: boolean;
}

function addList(dlq: Command, program: Command, context: CliContext): void {
  addStoreOptions(addLetterFilters(dlq.command('list').description('what waits, the newest first')))
    .option('--all', 'those too that a retry has stored')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare dlq list --since 2026-11-01T00:00:00Z --source kafka:\n')
    .action(async (options: ListOptions) => {
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const filter = { ...filterOf(options), withStored: options.all === true };
      const store = await openStore(config, context);
      try {
        const counts = await countDeadLetters(store, filter);
        const letters = await readDeadLetters(store, filter, { letters: options.limit ?? DEFAULT_LISTED });
        const total = counts.reduce((sum, { count }) => sum + count, 0);
        if (options.json === true) {
          const byCode = Object.fromEntries(counts.map(({ code, count }) => [code, count]));
          printJson(context, { total, by_code: byCode, letters: letters.map(letterJson) });
        } else context.stdout.write(listText(letters, total, counts));
      } finally {
        await store.close();
      }
    });
}

function listText(
  letters: readonly DeadLetterEntry[],
  total: number,
  counts: readonly { readonly code: string; readonly count: number }[],
): string {
  if (total === 0) return 'no dead letters\n';
  const table = formatTable(letters, [
    { title: 'id', value: ({ id }) => id },
    { title: 'received', value: ({ receivedAtMs }) => new Date(receivedAtMs).toISOString() },
    { title: 'reason', value: ({ code }) => code },
    { title: 'source', value: ({ source }) => source },
    { title: 'position', value: ({ position }) => String(position), align: 'right' },
    { title: 'format', value: ({ format }) => format },
    { title: 'bytes', value: ({ rawBytes }) => String(rawBytes), align: 'right' },
    { title: 'retries', value: ({ retries }) => String(retries), align: 'right' },
    { title: 'state', value: stateOf },
  ]);
  const byCode = counts.map(({ code, count }) => `${printable(code)} ${count}`).join(', ');
  return `${table}${letters.length} of ${total} (${byCode})\n`;
}

const stateOf = ({ isStored }: DeadLetterEntry): string => (isStored ? 'stored' : 'waiting');

interface ShowOptions extends StoreFlags {
  readonly bytes?: string;
  readonly json?: boolean;
}

function addShow(dlq: Command, program: Command, context: CliContext): void {
  addStoreOptions(
    dlq
      .command('show')
      .description('one letter with its bytes')
      .argument('<id>', 'as "list" prints it; its first digits do'),
  )
    .option('--bytes <n>', 'show at most so many of its bytes', String(DEFAULT_SHOWN_BYTES))
    .option('--json', 'print the result as JSON, with all bytes in base64')
    .addHelpText('after', '\nExample:\n  evenshare dlq show 4f2a91c0\n')
    .action(async (id: string, options: ShowOptions) => {
      const maxBytes = Number(options.bytes);
      if (!/^\d{1,9}$/.test(options.bytes ?? '')) {
        throw new EvenshareError('EVS_USAGE', `--bytes "${options.bytes}" must be a whole number`);
      }
      const prefix = idPrefix(id);
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const store = await openStore(config, context);
      try {
        const letter = await findLetter(store, prefix);
        const raw = (await readDeadLetterBytes(store, [letter])).get(letter.id) ?? new Uint8Array();
        if (options.json === true) {
          printJson(context, { ...letterJson(letter), raw_base64: Buffer.from(raw).toString('base64') });
        } else context.stdout.write(showText(letter, raw, maxBytes));
      } finally {
        await store.close();
      }
    });
}

function showText(letter: DeadLetterEntry, raw: Uint8Array, maxBytes: number): string {
  const retried =
    letter.retriedAtMs === null
      ? 'never'
      : `${letter.retries} times, last ${new Date(letter.retriedAtMs).toISOString()}`;
  const rows: readonly (readonly [string, string])[] = [
    ['id', letter.id],
    ['state', stateOf(letter)],
    ['reason', letter.code],
    ['detail', letter.detail],
    ...(letter.code === letter.cameCode ? [] : [['came as', letter.cameCode] as const]),
    ['source', letter.source],
    ['position', String(letter.position)],
    ['format', letter.format],
    ['received', new Date(letter.receivedAtMs).toISOString()],
    ['retried', retried],
    ['bytes', String(letter.rawBytes)],
  ];
  const head = rows.map(([name, value]) => `${name.padEnd(9)} ${printable(value)}\n`).join('');
  return `${head}\n${shownBytes(raw, maxBytes)}\n`;
}

function letterJson(letter: DeadLetterEntry) {
  return {
    id: letter.id,
    state: stateOf(letter),
    code: letter.code,
    detail: letter.detail,
    came_code: letter.cameCode,
    source: letter.source,
    position: letter.position,
    format: letter.format,
    bytes: letter.rawBytes,
    received_at: new Date(letter.receivedAtMs).toISOString(),
    retries: letter.retries,
    retried_at: letter.retriedAtMs === null ? null : new Date(letter.retriedAtMs).toISOString(),
  };
}
