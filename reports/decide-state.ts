import type { ReportDocument } from './report-document.ts';

/** How long after its end a month is settled: events may come late by two days, and a day is kept in hand. */
export const SETTLE_MS = 3 * 24 * 60 * 60 * 1000;

export interface StateEvidence {
  readonly nowMs: number;
  /** End of the month, epoch ms. */
  readonly endMs: number;
  /** Windows of the month whose figures may still change. */
  readonly provisionalWindows: number;
  /** Hours with requests that no stored window covers. */
  readonly hoursNotComputed: number;
}

/** A report is final once its month is over and settled and every window of it is there and final; else it says why not. */
export function decideState(evidence: StateEvidence): Pick<ReportDocument, 'state' | 'state_reasons'> {
  const reasons: ReportDocument['state_reasons'] = [];
  if (evidence.nowMs < evidence.endMs) reasons.push('month_not_over');
  else if (evidence.nowMs < evidence.endMs + SETTLE_MS) reasons.push('settling');
  if (evidence.provisionalWindows > 0) reasons.push('provisional_windows');
  if (evidence.hoursNotComputed > 0) reasons.push('windows_not_computed');
  return { state: reasons.length === 0 ? 'FINAL' : 'DRAFT', state_reasons: reasons };
}
