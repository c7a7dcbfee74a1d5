/** All that the pages and their API take from analytics, in one place. */
export {
  type BackfillAnswer,
  BackfillListSchema,
  type Backfills,
  type Explanation,
  ExplanationSchema,
  explainAt,
  type FairnessReader,
  PoolSeriesSchema,
  type PoolSummary,
  PoolSummarySchema,
  type PoolWindows,
  PoolWindowsSchema,
  type Quality,
  type TenantWindow,
  type Window,
  type WindowsQuery,
} from '../analytics/index.ts';
