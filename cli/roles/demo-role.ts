import type { Logger } from 'pino';
import { readPoolSpans, type Store } from '../../analytics/index.ts';
import { HOUR_MS, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import { DEMO_POOL } from '../demo/decision-lines.ts';
import { type DemoGateway, startDemoGateway } from '../demo/demo-gateway.ts';
import { lastQuietMs } from '../demo/simulated-gateway.ts';
import type { Config } from '../load-config.ts';

const HISTORY_MS = HOUR_MS;
const SEED = 1;

/** The simulated gateway, sending to this process's own intake. */
export async function startDemo(
  context: CliContext,
  config: Config,
  parts: { readonly store: Store; readonly log: Logger; readonly address: string; readonly policy: 'fifo' | 'drr' },
): Promise<DemoGateway> {
  const nowMs = context.clock.nowMs();
  // After a restart the history goes on where the stored events end: nothing is simulated twice.
  const known = (await readPoolSpans(parts.store, 'reads')).find((span) => span.pool === DEMO_POOL);
  const historyFromMs = Math.max(lastQuietMs(nowMs - HISTORY_MS), known === undefined ? 0 : known.latestEndMs + 1);
  const demo = startDemoGateway({
    baseUrl: parts.address,
    token: config.http.tokens[0]?.token ?? null,
    policy: parts.policy,
    seed: SEED,
    clock: context.clock,
    historyFromMs: Math.floor(historyFromMs / SECOND_MS) * SECOND_MS,
    historyToMs: nowMs,
    log: parts.log,
    signal: context.signal,
  });
  demo.historyPosted.then(() => parts.log.info(demo.counts(), 'the demo has posted its history'));
  return demo;
}
