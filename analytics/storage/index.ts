export {
  applyRetention,
  type Migration,
  type MigrationReport,
  migrate,
  type Retention,
  readMigrations,
} from './migrate.ts';
export { LANES, type Lane, openClickHouse, type Store, type StoreOptions } from './open-clickhouse.ts';
export { type Cell, type NestedCell, tsvArray, tsvCell, tsvMap, tsvRow } from './rows.ts';
export {
  defineQuery,
  type Parameters,
  type ParameterValue,
  type Query,
  READ_SETTINGS,
  type Settings,
  settingsClause,
} from './statement.ts';
export { isAboutRows, rowInRefusal } from './store-error.ts';
