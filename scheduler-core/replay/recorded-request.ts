import type { CompletionStatus } from '../model.ts';

/** What a log says of one attempt of one request, all its events merged. Null: it does not say. */
export interface RecordedRequest {
  /** Distinct among the attempts of a log. */
  readonly id: string;
  readonly tenant: string;
  readonly class: string | null;
  /** Times in epoch ms. */
  readonly arrivedAtMs: number;
  /** Null: it was admitted. */
  readonly rejectedFor: string | null;
  readonly dispatchedAtMs: number | null;
  /** Of the service; without a dispatch: when it was given up, or refused after waiting. */
  readonly completedAtMs: number | null;
  readonly status: CompletionStatus | null;
  /** In the log's cost unit. */
  readonly costEstimate: number | null;
  readonly cost: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Slots held while served; > 0. */
  readonly slots: number;
  /** The id of the first attempt; null: it is the only one. */
  readonly originalId: string | null;
  readonly promoted: boolean;
  readonly waitBudgetMs: number | null;
  /** Whether the times of arrival and dispatch tell how long it waited. */
  readonly isWaitKnown: boolean;
}

/** What became of it. `unknown_wait`: it was done, and nobody noted when it began. */
export type RecordedKind = 'served' | 'in_service' | 'waiting' | 'rejected' | 'given_up' | 'unknown_wait';

export function kindOfRecorded(request: RecordedRequest): RecordedKind {
  if (request.rejectedFor !== null) return 'rejected';
  if (request.dispatchedAtMs !== null) return request.completedAtMs === null ? 'in_service' : 'served';
  if (request.completedAtMs === null) return 'waiting';
  return request.isWaitKnown ? 'given_up' : 'unknown_wait';
}
