import { ALERT_STATES, type AlertState } from '../alerts/evaluate.ts';
import { defineQuery, type Parameters } from '../storage/index.ts';

export interface StoredAlertState extends AlertState {
  readonly rule: string;
  readonly pool: string;
}

/** Where every rule stands in every pool. */
export const STORED_ALERT_STATES = defineQuery<Parameters, StoredAlertState>({
  name: 'alert-states',
  sql: `SELECT rule, pool, state, breaching, recovering, since_ms, worst_p99_wait_ms, evaluated_to_ms, incident_id, notified
FROM alert_states FINAL
ORDER BY rule, pool`,
  decode: (row) => ({
    rule: String(row.rule),
    pool: String(row.pool),
    state: ALERT_STATES.find((state) => state === row.state) ?? 'ok',
    breaching: Number(row.breaching),
    recovering: Number(row.recovering),
    sinceMs: Number(row.since_ms),
    worstP99WaitMs: row.worst_p99_wait_ms === null ? null : Number(row.worst_p99_wait_ms),
    evaluatedToMs: Number(row.evaluated_to_ms),
    incidentId: String(row.incident_id),
    notified: Boolean(row.notified),
  }),
});

export interface OutboxEntry {
  readonly id: string;
  readonly receiver: string;
  readonly version: number;
  readonly rule: string;
  readonly pool: string;
  readonly transition: string;
  readonly createdAtMs: number;
  readonly body: string;
  readonly attempts: number;
  readonly nextAttemptMs: number;
  readonly state: 'waiting' | 'delivered' | 'dead';
  readonly lastError: string;
}

/** Notifications that have not arrived and are due, oldest first. */
export const DUE_NOTIFICATIONS = defineQuery<Parameters & { readonly now_ms: number }, OutboxEntry>({
  name: 'due-notifications',
  sql: `SELECT * FROM alert_outbox FINAL
WHERE state = 'waiting' AND next_attempt_ms <= {now_ms:Int64}
ORDER BY created_at_ms, id, receiver
LIMIT 100`,
  decode: (row) => ({
    id: String(row.id),
    receiver: String(row.receiver),
    version: Number(row.version),
    rule: String(row.rule),
    pool: String(row.pool),
    transition: String(row.transition),
    createdAtMs: Number(row.created_at_ms),
    body: String(row.body),
    attempts: Number(row.attempts),
    nextAttemptMs: Number(row.next_attempt_ms),
    state: row.state === 'delivered' || row.state === 'dead' ? row.state : 'waiting',
    lastError: String(row.last_error),
  }),
});

/** How many notifications wait for their receiver, and how many were given up. */
export const WAITING_NOTIFICATIONS = defineQuery<Parameters, { readonly waiting: number; readonly dead: number }>({
  name: 'waiting-notifications',
  sql: `SELECT countIf(state = 'waiting') AS waiting, countIf(state = 'dead') AS dead FROM alert_outbox FINAL`,
  decode: (row) => ({ waiting: Number(row.waiting), dead: Number(row.dead) }),
});
