import type { CoverageRow } from '../queries/coverage.ts';

/** Under this part of what the gateways counted a window says nothing sure (03, "Verdicts"). */
export const LEAST_COVERAGE_RATIO = 0.999;

/**
 * The part of the decisions that gateways say they made in `[startMs, endMs)` of which events are stored, in [0, 1]; null when no
 * gateway says anything of it. A report that reaches beyond the window counts by the part of its span that lies within.
 * What one gateway sent in excess of its own count makes up for no loss of another. Pure.
 */
export function coverageRatio(reports: readonly CoverageRow[], startMs: number, endMs: number): number | null {
  let decided = 0;
  let held = 0;
  let isReported = false;
  for (const report of reports) {
    const overlapMs = Math.min(report.toMs, endMs) - Math.max(report.fromMs, startMs);
    if (overlapMs <= 0) continue;
    const part = overlapMs / (report.toMs - report.fromMs);
    isReported = true;
    decided += report.decisions * part;
    held += Math.min(report.held, report.decisions) * part;
  }
  if (!isReported) return null;
  return decided === 0 ? 1 : Math.min(1, held / decided);
}
