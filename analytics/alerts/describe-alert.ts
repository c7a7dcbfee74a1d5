import type { AlertTransition } from './evaluate.ts';
import type { AlertRule } from './rule.ts';

/** The body of a webhook: Alertmanager's version 4, with our own block beside it. */
export interface AlertNotification {
  readonly version: '4';
  readonly status: 'firing' | 'resolved';
  readonly groupKey: string;
  readonly receiver: string;
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved';
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly startsAt: string;
    /** `0001-01-01T00:00:00Z` while it fires, as Alertmanager has it. */
    readonly endsAt: string;
    readonly generatorURL: string;
    readonly fingerprint: string;
  }[];
  readonly evenshare: {
    readonly incident_id: string;
    readonly pool: string;
    readonly threshold_ms: number;
    readonly p99_wait_ms: number | null;
    readonly worst_p99_wait_ms: number;
    readonly samples: number;
    readonly over_threshold: number;
    readonly in_share_tenants: number;
    readonly window_start: string;
  };
}

const NOT_ENDED = '0001-01-01T00:00:00Z';

/** Who, where, how bad, since when, the threshold and the evidence, in a sentence and in fields. */
export function describeTransition(
  rule: AlertRule,
  pool: string,
  transition: AlertTransition,
  pageUrl: string,
): AlertNotification {
  const { window } = transition;
  const startsAt = new Date(transition.sinceMs).toISOString();
  const windowStart = new Date(window.startMs).toISOString();
  const link = `${pageUrl}/?pool=${encodeURIComponent(pool)}&at=${encodeURIComponent(windowStart)}`;
  return {
    version: '4',
    status: transition.kind,
    groupKey: `${rule.name}:${pool}`,
    receiver: 'evenshare',
    alerts: [
      {
        status: transition.kind,
        labels: { alertname: rule.name, pool, severity: 'page' },
        annotations: { summary: summaryOf(rule, pool, transition) },
        startsAt,
        endsAt: transition.kind === 'resolved' ? new Date(transition.atMs).toISOString() : NOT_ENDED,
        generatorURL: link,
        fingerprint: transition.incidentId,
      },
    ],
    evenshare: {
      incident_id: transition.incidentId,
      pool,
      threshold_ms: rule.thresholdMs,
      p99_wait_ms: window.p99WaitMs,
      worst_p99_wait_ms: transition.worstP99WaitMs,
      samples: window.samples,
      over_threshold: window.overThreshold,
      in_share_tenants: window.inShareTenants,
      window_start: windowStart,
    },
  };
}

function summaryOf(rule: AlertRule, pool: string, transition: AlertTransition): string {
  const since = new Date(transition.sinceMs).toISOString();
  if (transition.kind === 'resolved') {
    return `tenants within their share of pool ${pool} wait no longer than ${rule.thresholdMs} ms (p99); they did from ${since} to ${new Date(transition.atMs).toISOString()}, at worst ${transition.worstP99WaitMs} ms`;
  }
  const { window } = transition;
  const percent = window.samples === 0 ? 0 : Math.round((100 * window.overThreshold) / window.samples);
  const over =
    window.overServedTenants.length === 0
      ? ''
      : `; served beyond their share: ${window.overServedTenants.slice(0, 3).join(', ')}`;
  return `tenants within their share of pool ${pool} wait too long since ${since}: p99 ${window.p99WaitMs} ms over ${rule.thresholdMs} ms in ${window.samples} requests of ${window.inShareTenants} tenants (${percent}% waited over the pool's threshold)${over}`;
}
