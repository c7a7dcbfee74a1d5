import type { Command } from 'commander';
import { readAlerts, type StoredAlertState, sendTestNotification } from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { formatMs, formatTable, printJson } from '../output.ts';
import { openNotifiers } from '../roles/jobs-role.ts';
import { openStore } from '../wire.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

export function addAlerts(program: Command, context: CliContext): void {
  const alerts = program
    .command('alerts')
    .description('alert state, and a test notification')
    .addHelpText('after', '\nExample:\n  evenshare alerts list\n');
  addStoreOptions(alerts.command('list').description('where every rule stands in every pool'))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare alerts list --json\n')
    .action(async (options: StoreFlags & { readonly json?: boolean }) => {
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const store = await openStore(config, context);
      try {
        const { states, waiting, dead } = await readAlerts(store);
        if (options.json === true) printJson(context, { alerts: states.map(toJson), notifications: { waiting, dead } });
        else context.stdout.write(describe(states, waiting, dead));
      } finally {
        await store.close();
      }
    });
  alerts
    .command('test')
    .description('send a test notification to every configured receiver')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare alerts test\n')
    .action(async (options: { readonly json?: boolean }) => {
      const config = await loadConfig(program.opts<GlobalOptions>().config, context.env);
      const notifiers = openNotifiers(context, config);
      if (notifiers.length === 0) {
        throw new EvenshareError('EVS_CONFIG', 'no receiver is configured: set alerts.webhook.url or alerts.stdout');
      }
      const results = await sendTestNotification(notifiers, context.clock.nowMs(), context.signal);
      const failures = results.flatMap(({ receiver, result }) =>
        result.delivered ? [] : [`${receiver} ${result.error}`],
      );
      if (options.json === true) {
        printJson(context, {
          receivers: results.map(({ receiver, result }) => ({
            receiver,
            delivered: result.delivered,
            error: result.delivered ? null : result.error,
          })),
        });
      } else
        for (const { receiver, result } of results)
          if (result.delivered) context.stderr.write(`${receiver}: delivered\n`);
      if (failures.length > 0) {
        throw new EvenshareError(
          'EVS_ALERT_DELIVERY',
          `${failures.join('; ')}: check alerts in the configuration and the receiver`,
        );
      }
    });
}

function describe(states: readonly StoredAlertState[], waiting: number, dead: number): string {
  const notes = `notifications waiting ${waiting}, given up ${dead}\n`;
  if (states.length === 0) return `no rule was evaluated yet\n${notes}`;
  return (
    formatTable(states, [
      { title: 'rule', value: (row) => row.rule },
      { title: 'pool', value: (row) => row.pool },
      { title: 'state', value: (row) => row.state },
      { title: 'since', value: (row) => timeOf(row.sinceMs) ?? '–' },
      { title: 'worst p99', value: (row) => formatMs(row.worstP99WaitMs), align: 'right' },
      { title: 'evaluated to', value: (row) => timeOf(row.evaluatedToMs) ?? '–' },
    ]) + notes
  );
}

function toJson(state: StoredAlertState) {
  return {
    rule: state.rule,
    pool: state.pool,
    state: state.state,
    since: timeOf(state.sinceMs),
    worst_p99_wait_ms: state.worstP99WaitMs,
    evaluated_to: timeOf(state.evaluatedToMs),
    incident_id: state.incidentId === '' ? null : state.incidentId,
    notified: state.notified,
  };
}

function timeOf(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString();
}
