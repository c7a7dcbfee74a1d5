import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { DecisionEvent, Provenance, RecordOutcome } from '../event/decision-event.ts';
import { MAX_POOL, MAX_TENANT } from '../event/event-fields.ts';
import { FieldReader } from '../event/field-reader.ts';
import { parseTimeMs } from '../event/parse-time.ts';
import type { AdapterOptions } from './adapter.ts';

/** Collects the mistakes in an adapter's options, so that all are named at once. */
export interface Mistakes {
  add(path: string, mistake: string): void;
  /** Throws `EVS_USAGE` with every mistake; nothing when there is none. */
  throwIfAny(): void;
}

export function collectMistakes(format: string): Mistakes {
  const mistakes: string[] = [];
  return {
    add: (path, mistake) => void mistakes.push(`${path}: ${mistake}`),
    throwIfAny: () => {
      if (mistakes.length > 0) throw new EvenshareError('EVS_USAGE', `--format ${format}: ${mistakes.join('; ')}`);
    },
  };
}

/** Checks what every adapter reads: pool and tenant, and that no option or mapping is given that none of it reads. */
export function checkCommonOptions(
  options: AdapterOptions,
  mistakes: Mistakes,
  allowed: { readonly options: readonly string[]; readonly mapping: boolean },
): void {
  const read = new FieldReader();
  read.requiredText('--pool', options.defaultPool, MAX_POOL);
  if (options.tenant !== null) read.requiredText('--tenant', options.tenant, MAX_TENANT);
  if (read.fault !== null) mistakes.add('options', read.fault.detail);
  for (const key of Object.keys(options.options)) {
    if (allowed.options.includes(key)) continue;
    const known = allowed.options.length === 0 ? 'it takes none' : `it takes ${allowed.options.join(', ')}`;
    mistakes.add(`--option ${key}`, `not an option of this format; ${known}`);
  }
  if (!allowed.mapping && options.mapping !== null && options.mapping !== undefined) {
    mistakes.add('--map', 'this format takes no mapping');
  }
}

/** `--option start=TIME` (RFC 3339 or epoch ms) in epoch milliseconds; `fallbackMs` when it is not given. */
export function readStartMs<T extends number | null>(
  options: AdapterOptions,
  mistakes: Mistakes,
  fallbackMs: T,
): number | T {
  const text = options.options.start;
  if (text === undefined) return fallbackMs;
  const timeMs = parseTimeMs(/^\d+$/.test(text) ? Number(text) : text, '--option start');
  if (typeof timeMs === 'number') return timeMs;
  mistakes.add('--option start', timeMs.detail);
  return fallbackMs;
}

/** The tenant of a log that has none: the user's word for it (`derived`), else `-` (`absent`). */
export function standInTenant(options: AdapterOptions): { readonly tenant: string; readonly provenance: Provenance } {
  return options.tenant === null
    ? { tenant: '-', provenance: 'absent' }
    : { tenant: options.tenant, provenance: 'derived' };
}

/** The same outcome with provenances that the format knows of; other outcomes than decisions as they are. */
export function withProvenance(
  outcome: RecordOutcome,
  provenance: Partial<Pick<DecisionEvent, 'tenantProvenance' | 'waitProvenance'>>,
): RecordOutcome {
  return outcome.kind === 'decision' ? { kind: 'decision', event: { ...outcome.event, ...provenance } } : outcome;
}

/** Throws `EVS_INPUT_FORMAT` when a header lacks columns that a format needs. */
export function requireColumns(format: string, columns: readonly string[], expected: readonly string[]): void {
  const missing = expected.filter((column) => !columns.includes(column));
  if (missing.length === 0) return;
  const message =
    `the header lacks ${missing.join(', ')}: --format ${format} expects the columns ${expected.join(', ')}; ` +
    'choose another --format, or --format csv with --map';
  throw new EvenshareError('EVS_INPUT_FORMAT', message);
}
