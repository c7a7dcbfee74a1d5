import type { Command } from 'commander';
import {
  countDeadLetters,
  type DeadLetterEntry,
  type DeadLetterFilter,
  readDeadLetterBytes,
  readDeadLetters,
  type Store,
} from '../../analytics/index.ts';
import {
  type KeptLetter,
  previewRetry,
  type RetryOptions,
  type RetryResult,
  retryLetters,
} from '../../ingest/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { letterFormats } from '../letter-formats.ts';
import { loadConfig } from '../load-config.ts';
import { printJson } from '../output.ts';
import { type Progress, startProgress } from '../progress.ts';
import { openStore, openWriter } from '../wire.ts';
import { findLetter } from './dlq-find.ts';
import { addLetterFilters, filterOf, idPrefix, type LetterFlags } from './dlq-flags.ts';
import { collect, pairOptions, readMapping } from './option-values.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface RetryFlags extends LetterFlags, StoreFlags {
  readonly format?: string;
  readonly map?: string;
  readonly option: readonly string[];
  readonly pool?: string;
  readonly tenant?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addRetry(dlq: Command, program: Command, context: CliContext): void {
  const retry = dlq
    .command('retry')
    .description('try letters again, after a mistake was mended; what is stored is done with, the rest stays')
    .argument('[id...]', 'letters as "list" prints them; default: all that the filters leave');
  addStoreOptions(addLetterFilters(retry))
    .option('--format <name>', 'read them as this format; default: as the one they came as')
    .option('--map <file>', 'YAML mapping; default: what the configuration has for where they came from')
    .option('--option <key=value>', 'option of the format, repeatable', collect, [])
    .option('--pool <name>', 'pool of records that name none')
    .option('--tenant <name>', 'tenant of a log without tenants')
    .option('--dry-run', 'say what would become of them; store nothing')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare dlq retry --code missing_field --map fixed.yaml --dry-run\n')
    .action(async (ids: string[], options: RetryFlags) => {
      const prefixes = ids.map(idPrefix);
      const { format, pool, tenant } = options;
      const other = { format, pool, tenant, mapping: await readMapping(options.map) };
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const formatOf = letterFormats(config, { ...other, options: pairOptions('--option', options.option) });
      const store = await openStore(config, context);
      const writer = openWriter(store, context);
      try {
        const tally = new Tally();
        const { maxFutureMs } = config.intake;
        const retrying: RetryOptions = { store, writer, nowMs: context.clock.nowMs, maxFutureMs, formatOf };
        const progress = startProgress(context, 'retrying');
        try {
          await retryChosen({ context, store, retrying, tally, progress }, prefixes, options);
        } finally {
          progress.stop();
        }
        if (options.json === true) printJson(context, tally.json(options.dryRun === true));
        else context.stdout.write(tally.text(options.dryRun === true));
      } finally {
        await writer.drain();
        await store.close();
      }
    });
}

interface Run {
  readonly context: CliContext;
  readonly store: Store;
  readonly retrying: RetryOptions;
  readonly tally: Tally;
  readonly progress: Progress;
}

/** Letters whose bytes are in memory at a time. */
const LETTERS_AT_ONCE = 2_000;
const BYTES_AT_ONCE = 8_388_608;
const LETTERS_PER_PAGE = 20_000;

async function retryChosen(run: Run, prefixes: readonly string[], flags: RetryFlags): Promise<void> {
  if (prefixes.length > 0) {
    const found: DeadLetterEntry[] = [];
    for (const prefix of prefixes) found.push(await findLetter(run.store, prefix));
    const chosen = [...new Map(found.map((letter) => [letter.id, letter])).values()];
    run.tally.alreadyStored = chosen.filter(({ isStored }) => isStored).length;
    const waiting = chosen.filter(({ isStored }) => !isStored);
    await retryAll(run, waiting, { isDryRun: flags.dryRun === true, total: waiting.length });
    return;
  }
  const filter: DeadLetterFilter = filterOf(flags);
  const counts = await countDeadLetters(run.store, filter);
  const there = counts.reduce((total, { count }) => total + count, 0);
  let left = Math.min(there, flags.limit ?? there);
  const how = { isDryRun: flags.dryRun === true, total: left };
  let after: DeadLetterEntry | undefined;
  // Those that are refused again stay where they are: the next page begins behind them.
  while (left > 0) {
    run.context.signal.throwIfAborted();
    const page = await readDeadLetters(run.store, filter, { letters: Math.min(left, LETTERS_PER_PAGE), after });
    if (page.length === 0) return;
    await retryAll(run, page, how);
    left -= page.length;
    after = page.at(-1);
  }
}

async function retryAll(
  run: Run,
  letters: readonly DeadLetterEntry[],
  how: { readonly isDryRun: boolean; readonly total: number },
): Promise<void> {
  const { context, store, retrying, tally, progress } = run;
  for (let from = 0; from < letters.length; ) {
    context.signal.throwIfAborted();
    const some = letters.slice(from, from + countTogether(letters, from));
    from += some.length;
    const kept = await withBytes(store, some);
    tally.add(how.isDryRun ? kept.map((letter) => previewRetry(letter, retrying)) : await retryLetters(kept, retrying));
    progress.update(tally.tried, how.total);
  }
}

function countTogether(letters: readonly DeadLetterEntry[], from: number): number {
  let bytes = 0;
  let count = 0;
  for (; count < LETTERS_AT_ONCE && from + count < letters.length; count++) {
    bytes += letters[from + count]?.rawBytes ?? 0;
    if (count > 0 && bytes > BYTES_AT_ONCE) break;
  }
  return count;
}

async function withBytes(store: Store, letters: readonly DeadLetterEntry[]): Promise<KeptLetter[]> {
  const bytes = await readDeadLetterBytes(store, letters);
  return letters.flatMap((letter) => {
    const raw = bytes.get(letter.id);
    return raw === undefined ? [] : [{ ...letter, raw }];
  });
}

/** What became of letters, added up. */
class Tally {
  alreadyStored = 0;
  tried = 0;
  #stored = 0;
  #events = 0;
  #duplicate = 0;
  readonly #refused = new Map<string, Sample>();
  readonly #impossible = new Map<string, Sample>();

  add(results: readonly RetryResult[]): void {
    this.tried += results.length;
    for (const result of results) {
      if (result.kind === 'stored') {
        this.#stored++;
        this.#events += result.events;
        this.#duplicate += result.duplicate;
      } else if (result.kind === 'refused') note(this.#refused, result.code, result);
      else note(this.#impossible, result.detail, result);
    }
  }

  json(isDryRun: boolean) {
    return {
      dry_run: isDryRun,
      stored: this.#stored,
      events: this.#events,
      duplicate: this.#duplicate,
      already_stored: this.alreadyStored,
      refused: Object.fromEntries([...this.#refused].map(([code, { count }]) => [code, count])),
      samples: [...this.#refused].map(([code, { id, detail }]) => ({ id, code, detail })),
      impossible: [...this.#impossible].map(([detail, { id, count }]) => ({ id, count, detail })),
    };
  }

  text(isDryRun: boolean): string {
    const refused = sum(this.#refused);
    const impossible = sum(this.#impossible);
    const stored = `${isDryRun ? 'would be stored' : 'stored'} ${this.#stored}`;
    const was = this.alreadyStored === 0 ? '' : `, stored before ${this.alreadyStored}`;
    const head = `${stored} (${this.#events} events, ${this.#duplicate} of them known)${was}, refused again ${refused}, not tried ${impossible}`;
    const reasons = [...this.#refused].map(([code, sample]) => `  ${code} ${sampleText(sample)}`);
    const others = [...this.#impossible.values()].map((sample) => `  not tried: ${sampleText(sample)}`);
    return `${[head, ...reasons, ...others].join('\n')}\n`;
  }
}

interface Sample {
  count: number;
  /** Of the first letter. */
  readonly id: string;
  readonly detail: string;
}

function note(samples: Map<string, Sample>, key: string, { id, detail }: { id: string; detail: string }): void {
  const known = samples.get(key);
  if (known === undefined) samples.set(key, { count: 1, id, detail });
  else known.count++;
}

function sum(samples: ReadonlyMap<string, Sample>): number {
  return [...samples.values()].reduce((total, { count }) => total + count, 0);
}

function sampleText({ count, id, detail }: Sample): string {
  return `${count} times, as ${id}: ${detail}`;
}
