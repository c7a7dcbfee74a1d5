import type { AlertRule } from './rule.ts';

export const ALERT_STATES = ['ok', 'pending', 'firing', 'recovering'] as const;
export type AlertStateName = (typeof ALERT_STATES)[number];

/** Where a rule stands in a pool. Times are those of windows, never of the clock. */
export interface AlertState {
  readonly state: AlertStateName;
  /** Windows in a row over the threshold. */
  readonly breaching: number;
  /** Windows in a row at or under it while firing. */
  readonly recovering: number;
  /** Start of the first window of the breach, epoch ms; 0 in `ok`. */
  readonly sinceMs: number;
  /** Worst p99 of the breach, ms; null in `ok`. */
  readonly worstP99WaitMs: number | null;
  /** End of the last window that was looked at, epoch ms. */
  readonly evaluatedToMs: number;
  /** Of the breach that fired; empty when none did. */
  readonly incidentId: string;
  /** Whether somebody was told that it fires. */
  readonly notified: boolean;
}

export const INITIAL_ALERT_STATE: AlertState = {
  state: 'ok',
  breaching: 0,
  recovering: 0,
  sinceMs: 0,
  worstP99WaitMs: null,
  evaluatedToMs: 0,
  incidentId: '',
  notified: false,
};

/** What a rule looks at in a window. */
export interface AlertWindow {
  readonly startMs: number;
  readonly endMs: number;
  /** null: it cannot be known. */
  readonly p99WaitMs: number | null;
  readonly samples: number;
  readonly inShareTenants: number;
  readonly overThreshold: number;
  readonly overServedTenants: readonly string[];
}

export type AlertEvidence = 'breach' | 'calm' | 'insufficient';

/** What a window says of a rule. Too few samples say nothing: they neither fire nor resolve. */
export function evidenceOf(rule: AlertRule, window: AlertWindow): AlertEvidence {
  if (window.p99WaitMs === null || window.samples < rule.minSamples) return 'insufficient';
  return window.p99WaitMs > rule.thresholdMs ? 'breach' : 'calm';
}

/** What somebody must be told. */
export interface AlertTransition {
  readonly kind: 'firing' | 'resolved';
  readonly incidentId: string;
  readonly sinceMs: number;
  /** End of the window that decided it, epoch ms. */
  readonly atMs: number;
  readonly worstP99WaitMs: number;
  /** The window that decided it. */
  readonly window: AlertWindow;
}

/**
 * One window further. A breach that is found long after it happened (after a stop) is told only if it still fires when
 * the evaluation has caught up, with its true start; what came and went meanwhile is told to nobody.
 *
 * @param freshFromMs windows that end at or after it are news.
 */
export function evaluateWindow(
  rule: AlertRule,
  pool: string,
  before: AlertState,
  window: AlertWindow,
  freshFromMs: number,
): { state: AlertState; transitions: AlertTransition[] } {
  const evidence = evidenceOf(rule, window);
  const evaluated = { ...before, evaluatedToMs: window.endMs };
  const moved =
    evidence === 'insufficient'
      ? evaluated
      : evidence === 'breach'
        ? afterBreach(rule, pool, evaluated, window)
        : afterCalm(rule, evaluated);
  const transitions: AlertTransition[] = [];
  const tell = (kind: AlertTransition['kind'], of: AlertState): void => {
    transitions.push({
      kind,
      incidentId: of.incidentId,
      sinceMs: of.sinceMs,
      atMs: window.endMs,
      worstP99WaitMs: of.worstP99WaitMs ?? 0,
      window,
    });
  };
  if (moved.state === 'firing' && !moved.notified && window.endMs >= freshFromMs) {
    tell('firing', moved);
    return { state: { ...moved, notified: true }, transitions };
  }
  if (moved.state === 'ok' && before.notified) tell('resolved', before);
  return { state: moved, transitions };
}

function afterBreach(rule: AlertRule, pool: string, before: AlertState, window: AlertWindow): AlertState {
  const isNew = before.state === 'ok';
  const sinceMs = isNew ? window.startMs : before.sinceMs;
  const breaching = before.breaching + 1;
  const firing = before.state === 'firing' || before.state === 'recovering' || breaching >= rule.forWindows;
  return {
    ...before,
    state: firing ? 'firing' : 'pending',
    breaching,
    recovering: 0,
    sinceMs,
    worstP99WaitMs: Math.max(before.worstP99WaitMs ?? 0, window.p99WaitMs ?? 0),
    incidentId: incidentIdOf(rule.name, pool, sinceMs),
  };
}

function afterCalm(rule: AlertRule, before: AlertState): AlertState {
  const calm = { ...INITIAL_ALERT_STATE, evaluatedToMs: before.evaluatedToMs };
  if (before.state === 'ok' || before.state === 'pending') return calm;
  const recovering = before.recovering + 1;
  return recovering >= rule.forWindows ? calm : { ...before, state: 'recovering', breaching: 0, recovering };
}

/** Stable: the same breach found again has the same id, so that nobody is told twice. */
export function incidentIdOf(rule: string, pool: string, sinceMs: number): string {
  return JSON.stringify([rule, pool, new Date(sinceMs).toISOString()]);
}
