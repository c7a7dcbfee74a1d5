import { expect, it } from 'vitest';
import { areReportsDue } from '../../../cli/roles/reports-role.ts';

const at = (time: string): number => Date.parse(`2026-11-30T${time}Z`);

it.each([
  ['at the start', null, '14:00:00', true],
  ['not again a minute later', '14:00:00', '14:01:00', false],
  ['once the hour’s windows are there', '14:00:00', '14:07:00', true],
  ['not twice in that minute', '14:07:00', '14:07:59', false],
  ['not before the next hour', '14:07:00', '15:06:59', false],
  ['late, when the process was busy at that moment', '14:07:00', '15:09:00', true],
  ['after days', '14:07:00', '23:59:00', true],
  ['when the clock was set back', '14:07:00', '12:00:00', true],
])('reports are due %s', (_why, last, now, due) => {
  expect(areReportsDue(last === null ? null : at(last), at(now))).toBe(due);
});
