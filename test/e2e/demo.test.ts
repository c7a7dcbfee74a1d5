import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, type TestContext, test } from 'vitest';
import { defineQuery, openClickHouse } from '../../analytics/storage/index.ts';
import type { PoolWindows, Window } from '../../dashboards/api-schema.ts';
import { CHROMIUM_ARGS, requireChromium } from '../support/chromium.ts';
import { type CliSandbox, cliSandbox, type UpProcess } from '../support/run-cli.ts';
import { until } from '../support/until.ts';

// What somebody sees who starts `evenshare up --demo` and opens the page: the product as it is built, nothing replaced.

const MINUTE_MS = 60_000;
/** A window is a minute long and is there some seconds after its end, later on a busy machine. */
const NEXT_WINDOW_MS = 240_000;
/** Of an hour, without the minute that began before it and the last ones, which are not over or just being computed. */
const FEWEST_WINDOWS = 57;

let sandbox: CliSandbox;
let browser: Browser | null = null;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterEach(() => sandbox.endAll());
afterAll(async () => {
  await browser?.close();
  await sandbox.remove();
});

const demo = (policy: 'fifo' | 'drr'): Promise<UpProcess> =>
  sandbox.up(['--demo', '--policy', policy, '--port', '0', '--data-dir', sandbox.path(policy)]);

async function openPage(context: TestContext): Promise<{ page: Page; complaints: string[] }> {
  const executablePath = requireChromium(context);
  browser ??= await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS], headless: true });
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints };
}

/** The windows of the demo's pool that start within the last hour. */
async function windowsOf({ address }: UpProcess): Promise<readonly Window[]> {
  const response = await fetch(`${address}/api/v1/pools/demo/windows?tenants=0`);
  if (response.status === 404) return [];
  const { windows }: PoolWindows = JSON.parse(await response.text());
  return windows;
}

/** The windows of the last hour once they are computed up to now, as far as gateways report with delay. */
const wholeHour = (server: UpProcess): Promise<readonly Window[]> =>
  until(
    'the last hour is computed',
    async () => {
      const windows = await windowsOf(server);
      const newestEndMs = Date.parse(windows.at(-1)?.end ?? '');
      return windows.length >= FEWEST_WINDOWS && Date.now() - newestEndMs < 2 * MINUTE_MS ? windows : null;
    },
    { everyMs: 500, limitMs: 150_000 },
  );

const REQUESTS_BEFORE = defineQuery<{ readonly before_ms: number }, { requests: number; minutes: number }>({
  name: 'test-requests-before',
  sql: `SELECT count() AS requests, uniqExact(minute) AS minutes FROM requests FINAL
WHERE arrived_at_ms < {before_ms:Int64}`,
  decode: (row) => ({ requests: Number(row.requests), minutes: Number(row.minutes) }),
});

async function requestsBefore(folder: string, beforeMs: number) {
  const store = await openClickHouse({ kind: 'embedded', path: folder });
  try {
    const [row] = await store.query('reads', REQUESTS_BEFORE, { before_ms: beforeMs });
    return row ?? { requests: 0, minutes: 0 };
  } finally {
    await store.close();
  }
}

test('the page shows the last hour, changes without a reload, and the hour goes on after a restart without doubling', {
  timeout: 600_000,
}, async (context) => {
  const { page, complaints } = await openPage(context);
  const startedAt = performance.now();
  let server = await demo('fifo');
  await page.goto(server.address);
  await page.evaluate('window.notReloaded = true');
  const figure = page.locator('.tile', { hasText: 'Jain index' }).locator('.tile-figure');
  await figure.filter({ hasText: /^\d(\.\d+)?$/ }).waitFor({ timeout: NEXT_WINDOW_MS });
  const firstFiguresMs = performance.now() - startedAt;
  // Told, not asserted: how fast depends on what else the machine does (wanted: 15 s).
  console.info(`demo: first figures after ${Math.round(firstFiguresMs)} ms`);

  const windows = await wholeHour(server);
  const computed = page.locator('#strip .cell i:not(.bar-not_computed)');
  await until('the page shows them', async () => ((await computed.count()) >= FEWEST_WINDOWS ? true : null));
  // A third of any hour is a burst: the control of the test below.
  expect(windows.filter(({ verdict }) => verdict === 'unfair').length).toBeGreaterThanOrEqual(10);

  const range = page.locator('#window-range');
  const before = await range.textContent();
  const refreshed = await page.locator('#live-text').textContent();
  await range.filter({ hasNotText: before ?? '' }).waitFor({ timeout: NEXT_WINDOW_MS });
  expect(await page.locator('#live-text').textContent()).not.toBe(refreshed);
  expect(await page.locator('#live').getAttribute('data-state')).toBe('live');
  expect(await page.evaluate('window.notReloaded')).toBe(true);
  expect(complaints).toEqual([]);
  const shot = join(await mkdtemp(join(tmpdir(), 'evenshare-demo-')), 'demo.png');
  await page.screenshot({ path: shot, fullPage: true });
  console.info(`demo: ${shot}`);
  await page.close();

  const beforeMs = Date.parse(windows.at(-1)?.start ?? '');
  server.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  const stored = await requestsBefore(sandbox.path('fifo'), beforeMs);
  expect(stored.requests).toBeGreaterThan(100_000);
  server = await demo('fifo');
  await server.printed(({ stderr }) => stderr.includes('the demo has posted its history'));
  expect(new Set((await windowsOf(server)).map(({ start }) => start)).size).toBeGreaterThanOrEqual(FEWEST_WINDOWS);
  const resumedMs = Date.now();
  server.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  expect(await requestsBefore(sandbox.path('fifo'), beforeMs)).toEqual(stored);
  const all = await requestsBefore(sandbox.path('fifo'), resumedMs);
  // No minute is missing between the first request and the restart.
  expect(all.minutes).toBe(stored.minutes + Math.floor(resumedMs / MINUTE_MS) - beforeMs / MINUTE_MS + 1);
});

test('under drr no burst is unfair, and a busy minute between bursts only now and then', {
  timeout: 400_000,
}, async () => {
  const server = await demo('drr');
  await wholeHour(server);
  // Five minutes in every fifteen, aligned to the epoch.
  const inBurst = ({ start }: Window): boolean => (Date.parse(start) / MINUTE_MS) % 15 < 5;
  // Bodies of the history may overtake each other: a window that was computed between two is restated within a minute.
  const windows = await until(
    'no burst is unfair once late events are counted',
    async () => {
      const found = await windowsOf(server);
      return found.some((window) => window.verdict === 'unfair' && inBurst(window)) ? null : found;
    },
    { everyMs: 500, limitMs: 150_000 },
  );
  const unfair = windows.filter(({ verdict }) => verdict === 'unfair');
  // At 92% load a queue may stand at a minute's end by chance; the minute's average calls that late work. Under fifo a
  // third of the hour and more is unfair: the control of the test above.
  expect(unfair.length).toBeLessThanOrEqual(6);
  for (const { jain_index: jain } of unfair) expect(jain).toBeGreaterThan(0.98);
  expect(windows.filter(({ verdict }) => verdict === 'fair').length).toBeGreaterThanOrEqual(10);
});
