import { type FramedRecord, rawBytes } from './adapters/index.ts';
import type { SubmissionBuilder, SubmissionResult } from './batch/submission.ts';
import type { RecordOutcome } from './event/decision-event.ts';

/** What became of the records of a log. */
export interface LoadReport {
  accepted: number;
  duplicate: number;
  conflict: number;
  skewed: number;
  rejected: Record<string, number>;
  /** One rejection of each reason, to look at. */
  samples: { line: number; code: string; detail: string }[];
  /** Pools of the accepted events, and the span of their arrivals, epoch ms. */
  pools: Map<string, { firstArrivalMs: number; lastArrivalMs: number; newestMs: number }>;
}

/** The bytes of what was refused: of a record that came with others its own. */
export function bytesOf(framed: FramedRecord, outcome: RecordOutcome): Uint8Array {
  if (framed.kind === 'refused') return framed.raw;
  const own = outcome.kind === 'rejected' ? outcome.raw : undefined;
  return own === undefined ? rawBytes(framed.record) : Buffer.from(own);
}

export function emptyReport(): LoadReport {
  return { accepted: 0, duplicate: 0, conflict: 0, skewed: 0, rejected: {}, samples: [], pools: new Map() };
}

export function addResult(report: LoadReport, submission: SubmissionBuilder, result: SubmissionResult): void {
  report.accepted += result.accepted;
  report.duplicate += result.duplicate;
  report.conflict += result.conflict;
  report.skewed += result.skewed;
  for (const event of submission.decisions) {
    const newestMs = Math.max(event.arrivedAtMs, event.dispatchedAtMs ?? 0, event.completedAtMs ?? 0);
    const span = report.pools.get(event.pool);
    if (span === undefined) {
      report.pools.set(event.pool, {
        firstArrivalMs: event.arrivedAtMs,
        lastArrivalMs: event.arrivedAtMs,
        newestMs,
      });
      continue;
    }
    span.firstArrivalMs = Math.min(span.firstArrivalMs, event.arrivedAtMs);
    span.lastArrivalMs = Math.max(span.lastArrivalMs, event.arrivedAtMs);
    span.newestMs = Math.max(span.newestMs, newestMs);
  }
}
