export { readAlerts, type StoredAlertState, sendTestNotification } from './alerts/alert-door.ts';
export { type AlertJob, type AlertJobOptions, type AlertRun, createAlertJob } from './alerts/alert-job.ts';
export type { Notifier } from './alerts/notifiers/notifier.ts';
export { stdoutNotifier } from './alerts/notifiers/stdout.ts';
export { DEFAULT_WEBHOOK_TIMEOUT_MS, type WebhookOptions, webhookNotifier } from './alerts/notifiers/webhook.ts';
export { type AlertRule, DEFAULT_FOR_WINDOWS, DEFAULT_MIN_SAMPLES } from './alerts/rule.ts';
export {
  countDeadLetters,
  type DeadLetterEntry,
  type DeadLetterFilter,
  readDeadLetterBytes,
  readDeadLetters,
} from './dead-letters.ts';
export { fillingSentence } from './explain/describe-filling.ts';
export { type ExplainAnswer, type ExplainQuery, explainAt } from './explain/explain-at.ts';
export { type ExplainContext, explainWindow } from './explain/explain-window.ts';
export { type Explanation, ExplanationSchema, type LedgerEntry, type ListedFilling } from './explain/explanation.ts';
export {
  type FairnessReader,
  type PoolSummary,
  PoolSummarySchema,
  type WindowsQuery,
} from './fairness-reader.ts';
export { createPoolMetrics, type PoolMetrics } from './metrics.ts';
export {
  type AppliedPolicy,
  type ApplyPolicyRequest,
  applyPolicy,
  listPolicies,
  policyDigest,
  readPolicies,
  readPolicyAt,
  readPolicySource,
  type StoredPolicy,
} from './policies.ts';
export type { PolicyHead } from './queries/policies.ts';
export type { StreamProgressRow } from './queries/stream-progress.ts';
export type { TenantFigures, TenantHistoryWindow } from './queries/tenant-history.ts';
export {
  inShareWaitQuantiles,
  type RangeTotals,
  readTotals,
  type TotalsQuery,
  type WaitQuantiles,
  waitQuantiles,
} from './rollups.ts';
export type { Store } from './storage/index.ts';
export { createStoreReader, type StoreReaderOptions } from './store-reader.ts';
export { readStreamProgress } from './stream-progress.ts';
export {
  createTenantHistoryReader,
  type KnownTenant,
  type PoolProgress,
  type TenantHistoryReader,
} from './tenant-history.ts';
export { type AnalyzeRequest, type AnalyzeResult, analyzeRange } from './window/analyze-range.ts';
export {
  type Backfill,
  type BackfillAnswer,
  type BackfillAsk,
  BackfillListSchema,
  BackfillSchema,
  type Backfills,
  createBackfills,
} from './window/asked-backfills.ts';
export { backfill, readUnfinishedBackfills, type UnfinishedBackfill } from './window/backfill.ts';
export { lastWindowEnd, nextWindowStart, type Span, windowStart } from './window/bounds.ts';
export { periodsOf, ROLLUP_PERIODS, type RollupPeriod } from './window/compose-range.ts';
export { type DeclaredCapacity, declareCapacity, declareWeights } from './window/declare-pool.ts';
export { createFairnessJob, type FairnessJob, type FairnessJobOptions, type JobRun } from './window/fairness-job.ts';
export { claimsOf, type JobLease, type JobLeaseOptions, startJobLease } from './window/job-lease.ts';
export {
  type ChangeKind,
  type ClassChange,
  diffPolicies,
  type GroupChange,
  isEmptyDiff,
  type PolicyDiff,
  type TenantChange,
} from './window/policy-diff.ts';
export {
  type ClassTerms,
  classDocument,
  type PolicyDocument,
  type PolicyTerms,
  policyDocument,
  policyTerms,
  type QuotaTerms,
  type TenantTerms,
  tenantDocument,
} from './window/policy-terms.ts';
export { policyAt } from './window/policy-timeline.ts';
export { DEFAULT_POOL_OPTIONS, type PoolOptions } from './window/pool-model.ts';
export { readPoolSpans } from './window/pool-spans.ts';
export type {
  CostTotal,
  Counts,
  Extreme,
  PoolTotals,
  TenantExtreme,
  TenantTotals,
  WaitTotals,
} from './window/range-totals.ts';
export { type RolledUp, type RollUpRequest, rollUp } from './window/roll-up.ts';
export { type BackfillRunner, type BackfillRunnerOptions, createBackfillRunner } from './window/run-backfills.ts';
export { type PoolSeries, PoolSeriesSchema, type SeriesWindow } from './window/series-result.ts';
export { DEFAULT_WATERMARK_OPTIONS, decideWatermark, type WatermarkOptions } from './window/watermark.ts';
export {
  type PoolWindows,
  PoolWindowsSchema,
  type Quality,
  QualitySchema,
  type TenantWindow,
  TenantWindowSchema,
  type Window,
  WindowSchema,
} from './window/window-result.ts';
