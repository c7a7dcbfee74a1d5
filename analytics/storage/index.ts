export { CLUSTER_NAME_PATTERN, clusterForm, clusterSchema } from './cluster-form.ts';
export {
  applyRetention,
  type Migration,
  type MigrationReport,
  migrate,
  migrationStatements,
  type Retention,
  readMigrations,
} from './migrate.ts';
export { LANES, type Lane, openClickHouse, type Store, type StoreOptions } from './open-clickhouse.ts';
export { type Floats, RowReader } from './row-reader.ts';
export { type Cell, type NestedCell, tsvArray, tsvCell, tsvMap, tsvRow } from './rows.ts';
export {
  type BinaryQuery,
  defineBinaryQuery,
  defineQuery,
  type Parameters,
  type ParameterValue,
  type Query,
  READ_SETTINGS,
  type Settings,
  settingsClause,
} from './statement.ts';
export { isAboutRows, rowInRefusal } from './store-error.ts';
