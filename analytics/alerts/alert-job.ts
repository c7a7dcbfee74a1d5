import type { Random } from '../../scheduler-core/index.ts';
import { DUE_NOTIFICATIONS, type OutboxEntry, STORED_ALERT_STATES, type StoredAlertState } from '../queries/alerts.ts';
import { LATEST_WINDOWS } from '../queries/pool-state.ts';
import { STORED_WINDOWS } from '../queries/stored-windows.ts';
import { type Store, tsvRow } from '../storage/index.ts';
import type { Window } from '../window/window-result.ts';
import { describeTransition } from './describe-alert.ts';
import {
  type AlertState,
  type AlertTransition,
  type AlertWindow,
  evaluateWindow,
  INITIAL_ALERT_STATE,
} from './evaluate.ts';
import type { Notifier } from './notifiers/notifier.ts';
import { decideNextAttempt } from './retry.ts';
import { type AlertRule, watches } from './rule.ts';

export interface AlertJobOptions {
  readonly windowMs: number;
  readonly rules: readonly AlertRule[];
  readonly notifiers: readonly Notifier[];
  readonly random: Random;
  /** Address of the pages, for links; without a slash at its end. */
  readonly pageUrl: string;
}

export interface AlertRun {
  readonly evaluated: number;
  readonly transitions: readonly { readonly rule: string; readonly pool: string; readonly kind: string }[];
  readonly delivered: number;
  readonly failed: readonly { readonly receiver: string; readonly error: string }[];
}

export interface AlertJob {
  /** Looks at every window that was computed since, in order, and delivers what is due. Safe to interrupt and repeat. */
  run(nowMs: number, signal: AbortSignal): Promise<AlertRun>;
}

/** Windows that ended so many window lengths ago are no news any more. */
const FRESH_WINDOWS = 5;
/** How far back a rule looks that was never evaluated, in windows. */
const FIRST_LOOK_WINDOWS = 60;

/**
 * Alerts over stored windows. Effects in order, each safe to repeat: 1 notifications into the outbox, by stable id,
 * 2 the state, 3 delivery, 4 its mark. After a stop between any two of them nothing is forgotten; only between 3 and 4 a
 * notification may be delivered twice, with the same id.
 */
export function createAlertJob(store: Store, options: AlertJobOptions): AlertJob {
  const { windowMs, rules, notifiers } = options;

  const evaluate = async (nowMs: number): Promise<Pick<AlertRun, 'evaluated' | 'transitions'>> => {
    const states = await store.query('jobs', STORED_ALERT_STATES, {});
    const latest = await store.query('jobs', LATEST_WINDOWS, { window_ms: windowMs });
    const transitions: { rule: string; pool: string; kind: string }[] = [];
    let evaluated = 0;
    for (const rule of rules) {
      for (const { pool, startMs } of latest) {
        if (!watches(rule, pool)) continue;
        const before = states.find((state) => state.rule === rule.name && state.pool === pool) ?? INITIAL_ALERT_STATE;
        const fromMs = before.evaluatedToMs > 0 ? before.evaluatedToMs : startMs - FIRST_LOOK_WINDOWS * windowMs;
        if (startMs < fromMs) continue;
        const params = { pool, window_ms: windowMs, from_ms: fromMs, to_ms: startMs + windowMs };
        const windows = await store.query('jobs', STORED_WINDOWS, params);
        const result = evaluateAll(
          rule,
          pool,
          before,
          windows.map((row) => toAlertWindow(row.startMs, windowMs, row.window)),
          nowMs,
        );
        evaluated += windows.length;
        await enqueue(rule, pool, result.transitions, nowMs);
        await storeState({ ...result.state, rule: rule.name, pool });
        transitions.push(...result.transitions.map(({ kind }) => ({ rule: rule.name, pool, kind })));
      }
    }
    return { evaluated, transitions };
  };

  const evaluateAll = (
    rule: AlertRule,
    pool: string,
    before: AlertState,
    windows: readonly AlertWindow[],
    nowMs: number,
  ) => {
    let state = before;
    const transitions: AlertTransition[] = [];
    for (const window of windows) {
      const next = evaluateWindow(rule, pool, state, window, nowMs - FRESH_WINDOWS * windowMs);
      state = next.state;
      transitions.push(...next.transitions);
    }
    return { state, transitions };
  };

  const enqueue = async (rule: AlertRule, pool: string, transitions: readonly AlertTransition[], nowMs: number) => {
    const entries = transitions.flatMap((transition) =>
      notifiers.map(
        (notifier): OutboxEntry => ({
          id: JSON.stringify([transition.incidentId, transition.kind]),
          receiver: notifier.name,
          version: 0,
          rule: rule.name,
          pool,
          transition: transition.kind,
          createdAtMs: nowMs,
          body: JSON.stringify(describeTransition(rule, pool, transition, options.pageUrl)),
          attempts: 0,
          nextAttemptMs: nowMs,
          state: 'waiting',
          lastError: '',
        }),
      ),
    );
    await storeEntries(entries);
  };

  const deliver = async (nowMs: number, signal: AbortSignal): Promise<Pick<AlertRun, 'delivered' | 'failed'>> => {
    const due = await store.query('jobs', DUE_NOTIFICATIONS, { now_ms: nowMs });
    const failed: { receiver: string; error: string }[] = [];
    let delivered = 0;
    for (const entry of due) {
      if (signal.aborted) break;
      const notifier = notifiers.find((candidate) => candidate.name === entry.receiver);
      if (notifier === undefined) continue;
      const result = await notifier.deliver(entry, signal);
      // Cut short by the shutdown: it says nothing of the receiver, and is tried again after the start.
      if (!result.delivered && signal.aborted) break;
      await storeEntries([decideNextAttempt(entry, result, nowMs, options.random)]);
      if (result.delivered) delivered++;
      else failed.push({ receiver: entry.receiver, error: result.error });
    }
    return { delivered, failed };
  };

  const storeState = (state: StoredAlertState): Promise<void> =>
    store.insert(
      'jobs',
      'alert_states',
      STATE_COLUMNS,
      tsvRow([
        state.rule,
        state.pool,
        state.evaluatedToMs,
        state.state,
        state.breaching,
        state.recovering,
        state.sinceMs,
        state.worstP99WaitMs,
        state.evaluatedToMs,
        state.incidentId,
        state.notified,
      ]),
    );

  const storeEntries = (entries: readonly OutboxEntry[]): Promise<void> =>
    store.insert(
      'jobs',
      'alert_outbox',
      OUTBOX_COLUMNS,
      entries
        .map((entry) =>
          tsvRow([
            entry.id,
            entry.receiver,
            entry.version,
            entry.rule,
            entry.pool,
            entry.transition,
            entry.createdAtMs,
            entry.body,
            entry.attempts,
            entry.state,
            entry.lastError,
            entry.nextAttemptMs,
          ]),
        )
        .join(''),
    );

  return {
    async run(nowMs, signal) {
      const evaluation = await evaluate(nowMs);
      return { ...evaluation, ...(await deliver(nowMs, signal)) };
    },
  };
}

const STATE_COLUMNS = [
  'rule',
  'pool',
  'version',
  'state',
  'breaching',
  'recovering',
  'since_ms',
  'worst_p99_wait_ms',
  'evaluated_to_ms',
  'incident_id',
  'notified',
];
const OUTBOX_COLUMNS = [
  'id',
  'receiver',
  'version',
  'rule',
  'pool',
  'transition',
  'created_at_ms',
  'body',
  'attempts',
  'state',
  'last_error',
  'next_attempt_ms',
];

function toAlertWindow(startMs: number, windowMs: number, window: Window): AlertWindow {
  // A minute's average would count the waits of a burst that no system could have served.
  const inShare = window.fluid?.in_share ?? window.in_share;
  return {
    startMs,
    endMs: startMs + windowMs,
    p99WaitMs: inShare.p99_wait_ms,
    samples: inShare.samples,
    inShareTenants: window.in_share.tenants,
    overThreshold: inShare.over_threshold,
    overServedTenants: window.causes.flatMap((cause) => cause.tenants),
  };
}
