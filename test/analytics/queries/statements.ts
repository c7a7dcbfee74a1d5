import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BinaryQuery, Lane, Parameters, Query, Store } from '../../../analytics/storage/index.ts';

const FOLDER = join(import.meta.dirname, '../../../analytics/queries');

/** A statement that the product sends to the store. */
export interface Statement {
  /** Of its golden files: a query's own name, else the export's. */
  readonly name: string;
  readonly sql: string;
  /** Null for statements without rows. */
  readonly query: AnyQuery | null;
}

/** With rows as JSON, or as bytes. */
export type AnyQuery = Query<Parameters, unknown> | BinaryQuery<Parameters, Iterable<unknown>>;

/** A typed placeholder `{name:Type}` of a statement. */
export interface Placeholder {
  readonly name: string;
  readonly type: string;
}

/** Every statement that a file of analytics/queries exports, whoever adds one, in the order of their names. */
export async function readStatements(): Promise<Statement[]> {
  const statements: Statement[] = [];
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.ts'))) {
    const exported: Record<string, unknown> = await import(join(FOLDER, file));
    for (const [name, value] of Object.entries(exported)) statements.push(...statementsOf(name, value));
  }
  return statements.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Runs either; the rows are those of the answer. */
export async function rowsOf(store: Store, lane: Lane, query: AnyQuery, params: Parameters): Promise<unknown[]> {
  return 'read' in query ? [...(await store.queryBinary(lane, query, params))] : store.query(lane, query, params);
}

function statementsOf(exportName: string, value: unknown): Statement[] {
  if (isQuery(value)) return [{ name: value.name, sql: value.sql, query: value }];
  const name = exportName.toLowerCase().replaceAll('_', '-');
  const texts = (Array.isArray(value) ? value : [value]).filter(isStatement);
  return texts.map((sql, index) => ({ name: texts.length === 1 ? name : `${name}-${index + 1}`, sql, query: null }));
}

function isQuery(value: unknown): value is AnyQuery {
  if (typeof value !== 'object' || value === null || !('sql' in value && 'name' in value)) return false;
  return 'decode' in value || 'read' in value;
}

function isStatement(value: unknown): value is string {
  return typeof value === 'string' && /^\s*(SELECT|WITH|INSERT|CREATE|DROP|ALTER|OPTIMIZE)\s/.test(value);
}

/** The placeholders of a statement, each once. */
export function placeholdersOf(sql: string): Placeholder[] {
  const found = new Map<string, Placeholder>();
  for (const [, name = '', type = ''] of sql.matchAll(/\{(\w+):([^}]+)\}/g))
    found.set(`${name}:${type}`, { name, type });
  return [...found.values()];
}
