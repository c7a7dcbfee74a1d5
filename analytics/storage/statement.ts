import type { RowReader } from './row-reader.ts';

/** A value that a typed placeholder `{name:Type}` takes. Times go in as Int64 milliseconds. */
export type ParameterValue = string | number | bigint | boolean | null | readonly (string | number | bigint | null)[];
export type Parameters = Readonly<Record<string, ParameterValue>>;

/** Settings by name; written into the statement's own text (see `withSettings`). */
export type Settings = Readonly<Record<string, string | number>>;

/**
 * Where the store is a cluster's, what is read is what was written: everyone goes to the same replica of a shard, the
 * first in the cluster's configuration that answers, wherever the statement came in. Without effect on plain tables.
 */
const CLUSTER_SETTINGS: Settings = {
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  // Stored in every shard that it concerns when an insert returns: offsets are committed behind it. Here, and not with
  // inserts only, for INSERT … SELECT.
  distributed_foreground_insert: 1,
};

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
  ...CLUSTER_SETTINGS,
  // A table of one shard is not to be filled by another shard's rows.
  parallel_distributed_insert_select: 0,
  // IN and JOIN see the rows of all shards: what stands behind them is read once and handed to every shard.
  distributed_product_mode: 'global',
  // A shard that is away is an error, never a smaller figure; and no shard is left out by its key, since rows stay where
  // they were stored when shards are added.
  skip_unavailable_shards: 0,
  optimize_skip_unused_shards: 0,
  distributed_group_by_no_merge: 0,
};

/** Settings that every insert pins. */
export const INSERT_SETTINGS: Settings = {
  ...CLUSTER_SETTINGS,
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

/** A read of many numbers: its cells come as bytes, in the order and of the types of the statement. */
export interface BinaryQuery<Params extends Parameters, Result> {
  readonly name: string;
  readonly sql: string;
  readonly read: (rows: RowReader) => Result;
  /** Only for the type of the parameters. */
  readonly params?: Params;
}

export function defineBinaryQuery<Params extends Parameters, Result>(
  query: BinaryQuery<Params, Result>,
): BinaryQuery<Params, Result> {
  return query;
}
