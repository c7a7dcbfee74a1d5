import { calendarMonth, monthAt, shiftMonth } from './calendar/month.ts';
import { SETTLE_MS } from './decide-state.ts';

/** What became of the months that the schedule has dealt with: `DRAFT` until every report of the month is final. */
export type DoneMonths = Readonly<Record<string, 'DRAFT' | 'FINAL'>>;

export interface DueReports {
  /** `2026-11`. */
  readonly month: string;
  /** Whether its reports can be final now. */
  readonly isSettled: boolean;
}

/** Months that are made up for after a long stop; older ones are made by hand. */
const MAX_MONTHS = 12;

/**
 * The months whose reports are due, oldest first: one that is over and has none (a draft), and one that has settled and
 * is not final yet. Without any month done only the last one is due: a schedule that starts does not report the past.
 */
export function decideDueReports(nowMs: number, timeZone: string, done: DoneMonths): DueReports[] {
  const lastOver = shiftMonth(monthAt(nowMs, timeZone), -1);
  const known = Object.keys(done).filter((month) => month <= lastOver);
  const [oldest = lastOver] = [...known, lastOver].sort();
  const due: DueReports[] = [];
  for (let back = MAX_MONTHS - 1; back >= 0; back--) {
    const month = shiftMonth(lastOver, -back);
    if (month < oldest) continue;
    const isSettled = nowMs >= calendarMonth(month, timeZone).endMs + SETTLE_MS;
    const state = done[month];
    if (state === undefined || (state === 'DRAFT' && isSettled)) due.push({ month, isSettled });
  }
  return due;
}
