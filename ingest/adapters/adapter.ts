import type { Provenance, RecordOutcome, RecordRejectCode } from '../event/decision-event.ts';

/** The unit of what a request takes of its pool (glossary: cost). */
export type CostUnit = 'requests' | 'service_ms' | 'tokens';

/** One record of a log as its framing delivers it: a line, or the fields of one CSV row. */
export interface RawRecord {
  /** The record's text: the whole line, or for `csv` the row as it stood in the file. */
  readonly text: string;
  /** The row's fields by column name, or null for framings without columns. */
  readonly fields: Readonly<Record<string, string>> | null;
  /** 1-based line number at which the record starts. */
  readonly line: number;
  /** The input ended with this record and without a newline: it may have been cut off (`torn_line`). Absent: no. */
  readonly isUnterminated?: boolean;
}

/** A record that cannot be handed to an adapter: no UTF-8, too long, cells that do not fit the header. */
export interface RefusedRecord {
  readonly kind: 'refused';
  readonly code: RecordRejectCode;
  readonly detail: string;
  /** The bytes as they stood in the input without the line's end; of a line that is too long the first 4 KiB. */
  readonly raw: Uint8Array;
  /** 1-based line number at which the record starts. */
  readonly line: number;
}

/** What a framing makes of bytes, in the order of the input. */
export type FramedRecord = { readonly kind: 'record'; readonly record: RawRecord } | RefusedRecord;

/** The bytes of a record as they stood in the input, without the line's end and the file's BOM. */
export function rawBytes(record: RawRecord): Uint8Array {
  return Buffer.from(record.text, 'utf8');
}

/** What came as one record turned out to be: one, or several in their order (a list, an export of many spans). */
export type AdapterOutcome = RecordOutcome | { readonly kind: 'several'; readonly outcomes: readonly RecordOutcome[] };

/** The outcomes of one record, one by one. */
export function eachOutcome(outcome: AdapterOutcome): readonly RecordOutcome[] {
  return outcome.kind === 'several' ? outcome.outcomes : [outcome];
}

/** What users ask of a format: the columns of the table in docs/formats.md. */
export const KNOWN_COLUMNS = ['tenant', 'arrival', 'decision', 'wait', 'service', 'cost', 'retry'] as const;
export type KnownColumn = (typeof KNOWN_COLUMNS)[number];

/** How a format knows something: where from, in a few words, and how well. */
export interface Known {
  readonly says: string;
  readonly provenance: Provenance;
}

/** What differs from site to site; each adapter says in its documentation which keys it reads. */
export interface AdapterOptions {
  /** Pool for records that name none. */
  readonly defaultPool: string;
  /** Tenant for logs without tenants, instead of `-`. */
  readonly tenant: string | null;
  /** `--option KEY=VALUE` pairs. */
  readonly options: Readonly<Record<string, string>>;
  /** The parsed YAML of `--map`, not yet validated; null when none was given. */
  readonly mapping: unknown;
}

/**
 * One gateway's log format. `open` checks the options (throws `EvenshareError` `EVS_USAGE` with every mistake named) and
 * returns a function from one record to what it means. That function never throws.
 */
export interface Adapter {
  readonly name: string;
  /** One line for `--help` and the documentation. */
  readonly summary: string;
  /** How bytes become records: one per line, or CSV rows with a header. */
  readonly framing: 'lines' | 'csv';
  /** The cost unit of a pool that this log feeds, when the user names none. */
  readonly costUnit: CostUnit;
  /** A record in this format, as a user would find it. */
  readonly example: string;
  /** Per event field how it is known (fields not listed: absent). */
  readonly provenance: Readonly<Record<string, Provenance>>;
  /** The format's row in the table of formats. */
  readonly known: Readonly<Record<KnownColumn, Known>>;
  /** A published trace, for trying out and benchmarks; absent: what gateways write. */
  readonly isPublicTrace?: true;
  /** The fields that a `--map` document may rename or give a unit; absent: none. */
  readonly mappable?: readonly string[];
  /** The character between cells, for `csv` framing; absent: a comma. Throws `EVS_USAGE` as `open` does. */
  readonly csvDelimiter?: (options: AdapterOptions) => string;
  /** Checks a CSV header; throws `EVS_INPUT_FORMAT` naming the columns that are expected. */
  readonly checkHeader?: (columns: readonly string[], options: AdapterOptions) => void;
  readonly open: (options: AdapterOptions) => (record: RawRecord) => AdapterOutcome;
}
