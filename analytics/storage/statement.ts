/** A value that a typed placeholder `{name:Type}` takes. Times go in as Int64 milliseconds. */
export type ParameterValue = string | number | bigint | boolean | null | readonly (string | number | bigint | null)[];
export type Parameters = Readonly<Record<string, ParameterValue>>;

/** Settings by name; written into the statement's own text (see `withSettings`). */
export type Settings = Readonly<Record<string, string | number>>;

/**
 * Settings that every read pins, because their defaults have moved between versions of the engine.
 * Counts leave as strings so that 64 bits stay exact; `decode` of each query turns them into numbers or bigints.
 */
export const READ_SETTINGS: Settings = {
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_denormals: 1,
  join_use_nulls: 0,
  // One request never lies in two partitions: its arrival is part of its identity.
  do_not_merge_across_partitions_select_final: 1,
  use_skip_indexes_if_final: 1,
  use_skip_indexes_if_final_exact_mode: 1,
  transform_null_in: 0,
};

/** Settings that every insert pins. */
export const INSERT_SETTINGS: Settings = {
  async_insert: 0,
  max_partitions_per_insert_block: 0,
  input_format_null_as_default: 0,
};

/**
 * Settings as they stand inside a statement. They are never handed to the client: the embedded connection would turn
 * them into session-level `SET`s that outlive the statement, and a leaked deduplication token drops later inserts.
 */
export function settingsClause(settings: Settings): string {
  const entries = Object.entries(settings);
  if (entries.length === 0) return '';
  return ` SETTINGS ${entries.map(([name, value]) => `${name} = ${literal(value)}`).join(', ')}`;
}

function literal(value: string | number): string {
  if (typeof value === 'number') return String(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** One read: a static template with typed placeholders, and how a row of its JSON becomes a typed row. */
export interface Query<Params extends Parameters, Row> {
  readonly name: string;
  readonly sql: string;
  readonly decode: (row: Readonly<Record<string, unknown>>) => Row;
  /** Only for the type of the parameters. */
  readonly params?: Params;
}

export function defineQuery<Params extends Parameters, Row>(query: Query<Params, Row>): Query<Params, Row> {
  return query;
}
