import type { TenantWindow, Window } from '../window/window-result.ts';
import { shownCost, unitWords } from './shown-words.ts';

export interface Note {
  readonly code: string;
  readonly text: string;
}

const PROVENANCES: Readonly<Record<string, string>> = {
  derived: 'Queue waits are derived from other figures of the log, not measured.',
  bounded: 'Some queue waits are only bounds: the true ones may be shorter, and with them what was overdue.',
  censored: 'Some queue waits were cut off when the log was written: the true ones may be longer.',
  estimated: 'Some queue waits are estimates.',
};

/** What of an explanation is not certain, or changed afterwards; for a window, or a tenant in it. */
export function explainNotes(window: Window, tenant: TenantWindow | null): Note[] {
  const notes: Note[] = [];
  const add = (code: string, text: string): void => void notes.push({ code, text });
  const { capacity } = window;
  if (capacity.basis === 'inferred') {
    const cost = `${shownCost(capacity.cost ?? 0)} ${unitWords(window.cost_unit)}`;
    add(
      'capacity_inferred',
      `The capacity (${cost}) is inferred from the busiest of the last 60 windows, not declared: every entitlement, and what is put down to whom, depends on it.`,
    );
  }
  if (capacity.basis === 'observed') {
    add('capacity_observed', 'More slots were busy than are declared: what was seen counts as the capacity.');
  }
  const { provenance } = (tenant ?? window).wait_ms;
  const words = PROVENANCES[provenance];
  if (words !== undefined) add(`waits_${provenance}`, words);
  if (window.state === 'provisional') {
    add('provisional', 'The window is provisional: requests that touch it are still open, and its figures may change.');
  }
  if (window.revision > 1) {
    add('restated', `The window was computed again after it was final (revision ${window.revision}).`);
  }
  if (window.policy_changed) {
    add('policy_changed', 'Weights or slots changed inside the window: the weights shown are those at its start.');
  }
  if (window.lost > 0) {
    add('lost_requests', `${window.lost} requests were open for too long and are counted as lost.`);
  }
  if (window.fluid === null && window.verdict !== 'unknown') {
    add('not_fluid', 'The window has no figures by the second: when in it a demand came is not told apart.');
  }
  if (window.idle_while_waiting_ratio === null && window.verdict === 'unfair') {
    add(
      'idle_unknown',
      'Whether slots stood idle while requests waited is not known: what they would account for is in lost capacity.',
    );
  }
  return notes;
}
