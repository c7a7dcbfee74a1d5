import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAlertJob } from '../../../analytics/alerts/alert-job.ts';
import { webhookNotifier } from '../../../analytics/alerts/notifiers/webhook.ts';
import { analyzeRange } from '../../../analytics/window/analyze-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { seededRandom } from '../../../scheduler-core/index.ts';
import {
  declareSlots,
  event,
  insertEvents,
  type TemporaryStore,
  temporaryStore,
} from '../../support/temporary-store.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_790_848_800_000;

interface Hook {
  readonly url: string;
  readonly received: { id: string; status: string; startsAt: string }[];
  answer: number | 'hang';
}

/** A webhook receiver on loopback that answers as it is told. */
async function startHook(): Promise<{ hook: Hook; server: Server }> {
  const received: Hook['received'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (hook.answer === 'hang') return;
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      if (hook.answer === 200) {
        received.push({
          id: String(request.headers['webhook-id']),
          status: body.status,
          startsAt: body.alerts[0].startsAt,
        });
      }
      response.writeHead(hook.answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const hook: Hook = { url: `http://127.0.0.1:${address.port}/hook`, received, answer: 200 };
  return { hook, server };
}

describe('alerts over stored windows', () => {
  let opened: TemporaryStore;
  let hook: Hook;
  let server: Server;
  let pools = 0;

  beforeAll(async () => {
    opened = await temporaryStore();
    ({ hook, server } = await startHook());
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await opened.remove();
  });
  afterEach(() => {
    hook.received.length = 0;
    hook.answer = 200;
  });

  /** A pool whose victim waits `waitsMs[i]` in minute i, 120 requests each. */
  async function poolWithWaits(waitsMs: readonly number[]): Promise<string> {
    const pool = `pool-${pools++}`;
    await declareSlots(opened.store, pool, 1_000);
    const events = waitsMs.flatMap((waitMs, minute) =>
      Array.from({ length: 120 }, (_, index) => {
        const arrivedAtMs = START_MS + minute * MINUTE_MS + index * 400;
        const dispatchedAtMs = arrivedAtMs + waitMs;
        return event({
          pool,
          requestId: `r${minute}-${index}`,
          tenant: 'victim',
          arrivedAtMs,
          dispatchedAtMs,
          completedAtMs: dispatchedAtMs + 10,
        });
      }),
    );
    await insertEvents(opened.store, events);
    return pool;
  }

  async function computeTo(pool: string, minutes: number): Promise<void> {
    await analyzeRange(opened.store, {
      pool,
      windowMs: MINUTE_MS,
      fromMs: START_MS,
      toMs: START_MS + minutes * MINUTE_MS,
      options: DEFAULT_POOL_OPTIONS,
      watermarkMs: START_MS + 3_600_000,
      closedToMs: Number.POSITIVE_INFINITY,
      computation: 1,
    });
  }

  /** A fresh process: nothing is kept but the store. */
  function job(pool: string, timeoutMs = 2_000) {
    return createAlertJob(opened.store, {
      windowMs: MINUTE_MS,
      rules: [{ name: `rule-${pool}`, pools: [pool], thresholdMs: 500, forWindows: 2, minSamples: 100 }],
      notifiers: [webhookNotifier({ url: hook.url, timeoutMs })],
      random: seededRandom(1),
      pageUrl: 'http://127.0.0.1:1',
    });
  }

  const nowAt = (minutes: number): number => START_MS + minutes * MINUTE_MS;
  const signal = new AbortController().signal;

  it('tells once that it fires and once that it is over, with a new process for every minute', async () => {
    const pool = await poolWithWaits([100, 900, 900, 900, 100, 100, 100]);
    for (let minute = 1; minute <= 7; minute++) {
      await computeTo(pool, minute);
      await job(pool).run(nowAt(minute), signal);
      await job(pool).run(nowAt(minute), signal);
    }
    expect(hook.received.map((one) => one.status)).toEqual(['firing', 'resolved']);
    expect(hook.received[0]?.startsAt).toBe(new Date(nowAt(1)).toISOString());
  });

  it('tells nothing of waits within the threshold', async () => {
    const pool = await poolWithWaits([100, 500, 499, 100]);
    await computeTo(pool, 4);
    await job(pool).run(nowAt(4), signal);
    expect(hook.received).toEqual([]);
  });

  it('tries again after a receiver that answers 500, and a restart neither forgets nor repeats', async () => {
    const pool = await poolWithWaits([900, 900]);
    await computeTo(pool, 2);
    hook.answer = 500;
    const first = await job(pool).run(nowAt(2), signal);
    expect(first.failed).toEqual([{ receiver: 'webhook', error: 'answered 500' }]);
    hook.answer = 200;
    const early = await job(pool).run(nowAt(2) + 1_000, signal);
    expect(early.delivered, 'not before its time').toBe(0);
    const later = await job(pool).run(nowAt(2) + 10_000, signal);
    expect(later.delivered).toBe(1);
    await job(pool).run(nowAt(2) + 100_000, signal);
    expect(hook.received.map((one) => one.status)).toEqual(['firing']);
  });

  it('gives up waiting for a receiver that hangs, and tries again', async () => {
    const pool = await poolWithWaits([900, 900]);
    await computeTo(pool, 2);
    hook.answer = 'hang';
    const hung = await job(pool, 50).run(nowAt(2), signal);
    expect(hung.failed).toEqual([{ receiver: 'webhook', error: 'did not answer in time' }]);
    hook.answer = 200;
    await job(pool).run(nowAt(2) + 10_000, signal);
    expect(hook.received).toHaveLength(1);
  });

  it('gives up after a day, and keeps the notification as dead', async () => {
    const pool = await poolWithWaits([900, 900]);
    await computeTo(pool, 2);
    hook.answer = 503;
    await job(pool).run(nowAt(2), signal);
    await job(pool).run(nowAt(2) + 25 * 3_600_000, signal);
    hook.answer = 200;
    await job(pool).run(nowAt(2) + 26 * 3_600_000, signal);
    expect(hook.received).toEqual([]);
  });
});
