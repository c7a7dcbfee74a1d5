import { type Command, InvalidArgumentError } from 'commander';
import type { DeadLetterFilter } from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { timeOption } from './option-values.ts';

/** Options of the commands that choose dead letters. */
export interface LetterFlags {
  readonly code?: string;
  readonly source?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
}

export function addLetterFilters(command: Command): Command {
  return command
    .option('--code <code>', 'only those with this reason')
    .option('--source <text>', 'only those whose source begins so, such as kafka:evenshare.decisions/3')
    .option('--since <time>', 'only those received from this time on')
    .option('--until <time>', 'only those received before this time')
    .option('--limit <n>', 'at most so many, the newest first', countOption);
}

export function filterOf(flags: LetterFlags): DeadLetterFilter {
  const { code, source, since, until } = flags;
  return {
    ...(code === undefined ? {} : { code }),
    ...(source === undefined ? {} : { source }),
    ...(since === undefined ? {} : { fromMs: timeOption('--since', since) }),
    ...(until === undefined ? {} : { toMs: timeOption('--until', until) }),
  };
}

/** The id of a letter or its first digits, in lower case; throws `EVS_USAGE`. */
export function idPrefix(text: string): string {
  const digits = text.toLowerCase();
  if (/^[0-9a-f]{4,16}$/.test(digits)) return digits;
  throw new EvenshareError(
    'EVS_USAGE',
    `${JSON.stringify(text)} is no id of a dead letter: 4 to 16 hexadecimal digits, as "evenshare dlq list" prints them`,
  );
}

function countOption(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MOST_LETTERS) return count;
  throw new InvalidArgumentError(`it must be a whole number from 1 to ${MOST_LETTERS}`);
}

const MOST_LETTERS = 1_000_000;
