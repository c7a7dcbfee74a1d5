import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { closingBracket, readSql, type SqlText, sliceSql, splitSql } from './sql-text.ts';

/** How a cluster may be called: it stands in statements and in Keeper's paths. */
export const CLUSTER_NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_-]{0,62}$';

/** What the statements of a schema must know of each other to be put into their cluster form. */
export interface ClusterSchema {
  /** As `remote_servers` of the servers' configuration calls it. */
  readonly cluster: string;
  readonly tables: ReadonlySet<string>;
  /** Tables that a materialized view writes: their rows lie where the rows lie that they were made of. */
  readonly filledByViews: ReadonlySet<string>;
}

const CREATE_TABLE = /^CREATE\s+TABLE\s+IF\s+NOT\s+EXISTS\s+(\w+)\s*(?=\()/i;
const CREATE_MATERIALIZED_VIEW =
  /^CREATE\s+MATERIALIZED\s+VIEW\s+IF\s+NOT\s+EXISTS\s+(\w+)\s+TO\s+(\w+)\s+AS\s+(?=SELECT\s|WITH\s)/i;
const ALTER_TABLE = /^ALTER\s+TABLE\s+(\w+)\s+/i;
const ENGINE = /^\s*ENGINE\s*=\s*((?:\w+)?MergeTree)\b\s*/i;
/** What changes columns is done to the table of all shards too; indices, settings and lifetimes are none of its business. */
const COLUMN_CHANGE = /^(?:ADD|DROP|MODIFY|RENAME|COMMENT)\s+COLUMN\b/i;

/**
 * What the statements of a schema are to each other.
 *
 * @throws EVS_CONFIG for a name that cannot be one of a cluster.
 */
export function clusterSchema(cluster: string, statements: readonly string[]): ClusterSchema {
  if (!new RegExp(CLUSTER_NAME_PATTERN).test(cluster)) {
    throw new EvenshareError(
      'EVS_CONFIG',
      `store.cluster: ${JSON.stringify(cluster)} is no name of a cluster: letters, digits, "_" and "-", at most 63`,
    );
  }
  const shapes = statements.map((sql) => readSql(sql).shape);
  const named = (pattern: RegExp, group: number): Set<string> =>
    new Set(shapes.flatMap((shape) => pattern.exec(shape)?.[group] ?? []));
  return { cluster, tables: named(CREATE_TABLE, 1), filledByViews: named(CREATE_MATERIALIZED_VIEW, 2) };
}

/** The table of one server that holds the rows of its shard. */
export function localTable(table: string): string {
  return `${table}_local`;
}

/** `ON CLUSTER` with its name. */
export function onCluster(cluster: string): string {
  return `ON CLUSTER '${cluster}'`;
}

/**
 * A statement of the schema as a cluster needs it, in the order in which they are to run; each may be repeated.
 *
 * A table `x` becomes `x_local`, replicated within each shard, and the Distributed table `x` over it. Rows that the engine
 * merges into one must meet in one shard, so the shard key is made of columns of the sorting key: pool and tenant, else
 * pool, else its first column. Materialized views run where the rows are inserted, on the local tables.
 *
 * @throws EVS_STORE_SCHEMA for a statement of another kind.
 */
export function clusterForm(sql: string, schema: ClusterSchema): readonly string[] {
  const statement = readSql(sql);
  const { shape } = statement;
  const table = CREATE_TABLE.exec(shape);
  if (table !== null) return createTables(statement, table[1] ?? '', table[0].length, schema);
  const view = CREATE_MATERIALIZED_VIEW.exec(shape);
  if (view !== null) return [createView(statement, view, schema)];
  const alter = ALTER_TABLE.exec(shape);
  if (alter !== null && schema.tables.has(alter[1] ?? ''))
    return alterTables(sliceSql(statement, alter[0].length), alter[1] ?? '', schema);
  throw noForm(statement, 'it is no CREATE TABLE, CREATE MATERIALIZED VIEW … TO or ALTER TABLE of a known table');
}

/**
 * The path names the table, not its `{uuid}`: a CREATE that is repeated after some servers missed it, or for a server that
 * joined later, would give those another uuid, and a replica that shares nothing with the others.
 */
function createTables(statement: SqlText, table: string, columnsAt: number, schema: ClusterSchema): string[] {
  const { cluster } = schema;
  const columnsEnd = closingBracket(statement, columnsAt);
  const rest = sliceSql(statement, columnsEnd);
  const engine = ENGINE.exec(rest.shape);
  if (engine === null) throw noForm(statement, 'its engine is none of the MergeTree family');
  let engineEnd = engine[0].length;
  let engineArguments = '';
  if (rest.shape[engineEnd] === '(') {
    const end = closingBracket(rest, engineEnd);
    engineArguments = rest.text.slice(engineEnd + 1, end - 1).trim();
    engineEnd = end;
  }
  const clauses = sliceSql(rest, engineEnd);
  const keeper = `'/clickhouse/tables/${cluster}/{shard}/{database}/{table}', '{replica}'`;
  const given = engineArguments === '' ? keeper : `${keeper}, ${engineArguments}`;
  const local = localTable(table);
  const shardKey = schema.filledByViews.has(table) ? null : shardKeyOf(statement, clauses);
  return [
    `CREATE TABLE IF NOT EXISTS ${local} ${onCluster(cluster)} ${statement.text.slice(columnsAt, columnsEnd)}
ENGINE = Replicated${engine[1]}(${given})
${ofReplicas(clauses)}`.trimEnd(),
    // AS copies the columns with their defaults, the computed ones among them, and no index. Without a shard key an insert
    // is refused: rows that a view writes come from nowhere else.
    `CREATE TABLE IF NOT EXISTS ${table} ${onCluster(cluster)} AS ${local}
ENGINE = Distributed('${cluster}', currentDatabase(), '${local}'${shardKey === null ? '' : `, ${shardKey}`})`,
  ];
}

/** Replicated tables remember inserted blocks in Keeper, under a setting of their own. */
function ofReplicas(clauses: SqlText): string {
  return clauses.text.trim().replace(/\bnon_replicated_deduplication_window\b/g, 'replicated_deduplication_window');
}

function shardKeyOf(statement: SqlText, clauses: SqlText): string {
  const columns = sortingKey(clauses).filter((column) => /^[A-Za-z_]\w*$/.test(column));
  const by = columns.includes('pool')
    ? ['pool', 'tenant'].filter((name) => columns.includes(name))
    : columns.slice(0, 1);
  if (by.length === 0) throw noForm(statement, 'its sorting key names no column to shard it by');
  return `cityHash64(${by.join(', ')})`;
}

function sortingKey(clauses: SqlText): string[] {
  const found = /\bORDER\s+BY\s+(?:(\w+)\b(?!\s*\()|(?=\())/i.exec(clauses.shape);
  if (found === null) return [];
  if (found[1] !== undefined) return [found[1]];
  const open = found.index + found[0].length;
  const inside = sliceSql(clauses, open + 1, closingBracket(clauses, open) - 1);
  return splitSql(inside).map(({ text }) => text);
}

/** The view is told of rows that its first table gets, which is the local one; others are read over all shards. */
function createView(statement: SqlText, view: RegExpExecArray, schema: ClusterSchema): string {
  const [head, name = '', target = ''] = view;
  const select = sliceSql(statement, head.length);
  const source = [...select.shape.matchAll(/\bFROM\s+(\w+)\b/gi)].find(([, from = '']) => schema.tables.has(from))?.[1];
  if (source === undefined || !schema.tables.has(target)) throw noForm(statement, 'it reads or writes no known table');
  const places = [
    ...select.shape.matchAll(new RegExp(`(?<=\\b(?:FROM|JOIN)\\s+)${source}\\b|\\b${source}(?=\\.)`, 'gi')),
  ];
  let text = '';
  let from = 0;
  for (const { index } of places) {
    text += `${select.text.slice(from, index)}${localTable(source)}`;
    from = index + source.length;
  }
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${name} ${onCluster(schema.cluster)} TO ${localTable(target)} AS
${text}${select.text.slice(from)}`;
}

function alterTables(changes: SqlText, table: string, schema: ClusterSchema): string[] {
  const ofColumns = splitSql(changes).filter(({ shape }) => COLUMN_CHANGE.test(shape));
  const alter = (name: string, what: string): string => `ALTER TABLE ${name} ${onCluster(schema.cluster)} ${what}`;
  return [
    alter(localTable(table), changes.text),
    ...(ofColumns.length === 0 ? [] : [alter(table, ofColumns.map(({ text }) => text).join(', '))]),
  ];
}

function noForm({ text }: SqlText, why: string): EvenshareError {
  return new EvenshareError(
    'EVS_STORE_SCHEMA',
    `a statement of the schema has no cluster form (${text.slice(0, 60).replace(/\s+/g, ' ')} …): ${why}`,
  );
}
