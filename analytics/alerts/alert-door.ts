import { STORED_ALERT_STATES, type StoredAlertState, WAITING_NOTIFICATIONS } from '../queries/alerts.ts';
import type { Store } from '../storage/index.ts';
import type { DeliveryResult, Notifier } from './notifiers/notifier.ts';

export type { StoredAlertState } from '../queries/alerts.ts';

/** Where every rule stands in every pool, and how many notifications have not arrived yet. */
export async function readAlerts(store: Store): Promise<{ states: StoredAlertState[]; waiting: number; dead: number }> {
  const states = await store.query('reads', STORED_ALERT_STATES, {});
  const counts = await store.query('reads', WAITING_NOTIFICATIONS, {});
  return { states, waiting: counts[0]?.waiting ?? 0, dead: counts[0]?.dead ?? 0 };
}

/** Sends a notification that says that it is a test; nothing of it is stored. */
export async function sendTestNotification(
  notifiers: readonly Notifier[],
  nowMs: number,
  signal: AbortSignal,
): Promise<{ receiver: string; result: DeliveryResult }[]> {
  const at = new Date(nowMs).toISOString();
  const body = JSON.stringify({
    version: '4',
    status: 'resolved',
    groupKey: 'evenshare-test',
    receiver: 'evenshare',
    alerts: [
      {
        status: 'resolved',
        labels: { alertname: 'evenshare-test', severity: 'test' },
        annotations: { summary: 'this is a test of Evenshare: notifications arrive here' },
        startsAt: at,
        endsAt: at,
        generatorURL: '',
        fingerprint: 'evenshare-test',
      },
    ],
  });
  const results: { receiver: string; result: DeliveryResult }[] = [];
  for (const notifier of notifiers) {
    const entry = {
      id: `evenshare-test-${nowMs}`,
      receiver: notifier.name,
      version: 0,
      rule: 'evenshare-test',
      pool: '',
      transition: 'resolved',
      createdAtMs: nowMs,
      body,
      attempts: 0,
      nextAttemptMs: nowMs,
      state: 'waiting',
      lastError: '',
    } as const;
    results.push({ receiver: notifier.name, result: await notifier.deliver(entry, signal) });
  }
  return results;
}
