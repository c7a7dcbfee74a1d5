import { type RecordOutcome, reject } from '../event/decision-event.ts';
import { parseDecision } from '../event/parse-event.ts';
import type { Adapter } from './adapter.ts';
import { checkCommonOptions, collectMistakes, requireColumns, withProvenance } from './adapter-options.ts';
import { readCsvMapping, readDelimiter } from './csv-mapping.ts';
import { rowReader } from './csv-row.ts';
import { DIRECT_PROVENANCE } from './evenshare.ts';
import { DIRECT } from './trace-known.ts';

const REQUIRED_FIELDS = ['request_id', 'tenant', 'arrived_at'] as const;

/**
 * Any CSV with a header. Without a mapping the columns bear the names of the event's fields, times are RFC 3339 or epoch
 * milliseconds, and an empty cell is absent. `--map FILE` (YAML) says what differs; fields that it does not name still come
 * from the column of their own name, columns that nothing uses become labels:
 *
 * ```yaml
 * delimiter: ";"               # one character; default a comma
 * time_unit: ms                # of time columns: rfc3339, ms, s, us, ns; default RFC 3339 or epoch milliseconds
 * absent: ["-", "NULL"]        # texts that mean "not there", besides the empty cell
 * fields:
 *   request_id: id                                        # a column
 *   pool: { value: llm-a }                                # a constant
 *   arrived_at: { column: ts, unit: s }                   # a time column in its own unit
 *   dispatched_at: { add: [arrived_at, wait_s], unit: s } # a time plus columns of durations in `unit`
 *   completed_at: { add: [logged, a_ms], subtract: [b_ms], unit: ms }
 *   outcome: { column: code, map: { "200": admitted, "429": rejected }, default: admitted }
 * provenance: { tenant: derived, wait: bounded }          # measured, derived, bounded, censored, absent
 * ```
 *
 * The first of `add` is a time: `arrived_at`, `dispatched_at`, `completed_at`, a column, `{ column: …, unit: … }` or
 * `{ value: 2023-01-01T00:00:00Z }` for logs that count from their own start. Sums are rounded to the millisecond; where
 * a part is absent, so is the sum. A text that `map` does not list is refused unless there is a `default` (null: absent).
 */
export const csvAdapter: Adapter = {
  name: 'csv',
  summary: 'any CSV with a header; --map says which column holds which field',
  framing: 'csv',
  costUnit: 'requests',
  example:
    'request_id,pool,tenant,arrived_at,dispatched_at,completed_at,status\n' +
    '7c1e6d6e,llm-a,acme,2026-03-02T10:15:04.127Z,2026-03-02T10:15:04.165Z,2026-03-02T10:15:04.311Z,ok',
  provenance: DIRECT_PROVENANCE,
  known: DIRECT,
  csvDelimiter: (options) => {
    const mistakes = collectMistakes('csv');
    const delimiter = readDelimiter(options.mapping, mistakes);
    mistakes.throwIfAny();
    return delimiter;
  },
  checkHeader: (columns, options) => {
    const mistakes = collectMistakes('csv');
    const mapping = readCsvMapping(options.mapping, mistakes);
    mistakes.throwIfAny();
    const own = REQUIRED_FIELDS.filter((field) => {
      const source = mapping.sources.get(field);
      const isFromColumn = source?.kind === 'column' && source.column === field;
      return isFromColumn && !(field === 'tenant' && options.tenant !== null);
    });
    requireColumns('csv', columns, [...new Set([...own, ...mapping.namedColumns])]);
  },
  open: (options) => {
    const mistakes = collectMistakes('csv');
    checkCommonOptions(options, mistakes, { options: [], mapping: true });
    const mapping = readCsvMapping(options.mapping, mistakes);
    mistakes.throwIfAny();
    const read = rowReader(mapping);
    const parse = { defaultPool: options.defaultPool, defaultTenant: options.tenant };
    const { tenantProvenance, waitProvenance } = mapping;
    return (record): RecordOutcome => {
      if (record.fields === null) return reject('wrong_columns', 'the record has no columns: is the header missing?');
      const wire = read(record.fields);
      if (!wire.ok) return wire.outcome;
      const outcome = parseDecision(wire.value, parse);
      if (outcome.kind !== 'decision') return outcome;
      if (tenantProvenance === null && waitProvenance === null) return outcome;
      return withProvenance(outcome, {
        tenantProvenance: tenantProvenance ?? outcome.event.tenantProvenance,
        waitProvenance,
      });
    };
  },
};
