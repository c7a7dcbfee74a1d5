import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PoolWindows } from '../../dashboards/api-schema.ts';
import type { AccessToken } from '../../dashboards/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { type FakeReader, fakeReader } from '../dashboards/fake-reader.ts';
import { noisyHour } from '../dashboards/noisy-hour.ts';
import { testServer } from '../dashboards/test-server.ts';
import { CHROMIUM_ARGS, requireChromium } from '../support/chromium.ts';

const ROOT = join(import.meta.dirname, '../..');
const WEB_ROOT = join(ROOT, 'dist/dashboards/web');
const HOSTILE = '<img src=x onerror=alert(1)>';
const FROM_MS = Date.parse('2026-11-01T10:00:00Z');
const MINUTE_MS = 60_000;
const REFRESH_MS = 5_000;

/** Ends in the middle of a burst: the newest window is unfair. */
const BURST: PoolWindows = noisyHour({ fromMs: FROM_MS - 8 * MINUTE_MS, minutes: 68, renames: { heavy: HOSTILE } });
const CALM: PoolWindows = noisyHour({
  pool: 'llm-b',
  fromMs: FROM_MS,
  unknownMinutes: [59],
  silentMinutes: [57],
  missingMinutes: [55],
});

// The page as it is built, in a real browser, over the real server; only the reader is a fake, so that its figures can be
// changed at will. The browser's clock is driven by the test: nothing here waits for five seconds to pass.
let browser: Browser | null = null;
let app: FastifyInstance;
let url: string;
let reader: FakeReader;
let shots: string;
let complaints: string[];
let now: { ms: number };

beforeAll(async () => {
  if (!existsSync(join(WEB_ROOT, 'index.html'))) {
    await build({ configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' });
  }
  shots = await mkdtemp(join(tmpdir(), 'evenshare-page-'));
});

beforeEach(async (context) => {
  const executablePath = requireChromium(context);
  browser ??= await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS], headless: true });
  complaints = [];
  now = { ms: FROM_MS + 60 * MINUTE_MS + 7_000 };
  reader = fakeReader(BURST, CALM);
  await serve([]);
});

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
  await app?.close();
});

afterAll(async () => {
  await browser?.close();
});

async function serve(tokens: readonly AccessToken[]): Promise<void> {
  app = testServer({ reader, clock: { nowMs: () => now.ms }, webRoot: WEB_ROOT, tokens });
  url = await app.listen({ port: 0, host: '127.0.0.1' });
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  if (browser === null) throw new Error('the browser did not start');
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.clock.install();
  await page.goto(`${url}${path}`);
  return page;
}

const live = (page: Page) => page.locator('#live[data-state=live]').waitFor();
const textOf = (page: Page, selector: string) => page.locator(selector).textContent();
const tileOf = (page: Page, label: string) => page.locator('.tile', { hasText: label });

/** One more window, and time that passes with it. */
function appendWindow(): void {
  const longer = noisyHour({
    fromMs: FROM_MS - 8 * MINUTE_MS,
    minutes: 69,
    renames: { heavy: HOSTILE },
    fairFromMinute: 68,
  });
  reader.stored.set('llm-a', longer);
  now.ms += MINUTE_MS;
}

describe('the page', () => {
  test('says what the newest window says, in a sentence and four figures', async () => {
    const page = await open('/?pool=llm-a');
    await live(page);
    expect(await textOf(page, '#verdict-text')).toMatch(
      /^Unfair: 24 tenants within their share waited too long \(p99 2\.\d s\); <img src=x onerror=alert\(1\)> was served beyond its share\.$/,
    );
    const newest = BURST.windows.at(-1);
    expect(await tileOf(page, 'Jain index').locator('.tile-figure').textContent()).toBe(newest?.jain_index?.toFixed(3));
    expect(await tileOf(page, 'Min normalized share').textContent()).toContain(newest?.min_normalized_share?.tenant);
    expect(await tileOf(page, 'In-share p99 wait').textContent()).toContain('over the threshold of 500 ms');
    expect(await page.locator('#pools-rows tr').count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  test('changes its figures while it is open, without a reload, and keeps what the reader set', async () => {
    const page = await open('/?pool=llm-a');
    await live(page);
    await page.evaluate('window.notReloaded = true');
    await page.locator('#scale-amount').click();
    const before = await tileOf(page, 'Jain index').locator('.tile-figure').textContent();
    appendWindow();
    await page.clock.runFor(REFRESH_MS);
    await page.locator('#verdict-text', { hasText: 'Fair: demand exceeded capacity' }).waitFor();
    expect(await tileOf(page, 'Jain index').locator('.tile-figure').textContent()).not.toBe(before);
    expect(await textOf(page, '#live-text')).toBe('Live · refreshed 11:01:07 UTC');
    expect(await textOf(page, '#window-range')).toBe('11:00–11:01 UTC');
    expect(await page.locator('#scale-amount').getAttribute('aria-pressed')).toBe('true');
    expect(await page.evaluate('window.notReloaded')).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('shows hostile names as text, in tables, sentences and tooltips', async () => {
    const page = await open('/?pool=llm-a');
    await live(page);
    expect(await page.locator('#tenants-rows tr').first().locator('th').textContent()).toBe(HOSTILE);
    await page.locator('#share-chart').hover({ position: { x: 300, y: 18 } });
    await page.clock.runFor(500);
    await page.locator('#share-chart .tip .tip-head', { hasText: HOSTILE }).waitFor();
    expect(await page.locator('img:not(.brand-mark)').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('chooses a window by keys and by click, keeps it in the address, and returns to the newest', async () => {
    const page = await open('/?pool=llm-a');
    await live(page);
    await page.locator('#strip').focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('#window-range', { hasText: '10:58–10:59 UTC' }).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe('2026-11-01T10:58:00.000Z');
    expect(await page.locator('#strip').getAttribute('aria-valuetext')).toBe('10:58 to 10:59 UTC: unfair');
    const chart = await page.locator('#wait-chart').boundingBox();
    if (chart === null) throw new Error('the chart is not drawn');
    await page.locator('#wait-chart').scrollIntoViewIfNeeded();
    await page.locator('#wait-chart').click({ position: { x: 60 + (chart.width - 78) / 2 + 2, y: 60 } });
    await page.locator('#window-range', { hasText: '10:30–10:31 UTC' }).waitFor();
    const again = await open(page.url().slice(url.length));
    await again.locator('#window-range', { hasText: '10:30–10:31 UTC' }).waitFor();
    await page.locator('#window-newest').click();
    await page.locator('#window-range', { hasText: '10:59–11:00 UTC' }).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBeNull();
    expect(complaints).toEqual([]);
  });

  test('changes the pool by link or selector, keeps it in the address, and goes back', async () => {
    const page = await open('/');
    await live(page);
    await page.locator('#pools-rows a', { hasText: 'llm-b' }).click();
    await page.locator('#pool-title', { hasText: 'llm-b' }).waitFor();
    expect(new URL(page.url()).searchParams.get('pool')).toBe('llm-b');
    await page.goBack();
    await page.locator('#pool-title', { hasText: 'llm-a' }).waitFor();
    await page.locator('#pool-select').selectOption('llm-b');
    await page.locator('#pool-title', { hasText: 'llm-b' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('says of a figure that is not known that it is unknown and why, never 0', async () => {
    const page = await open('/?pool=llm-b');
    await live(page);
    expect(await textOf(page, '#verdict-text')).toBe(
      'Unknown: it cannot be judged: gateways reported too little of their traffic.',
    );
    const jain = await tileOf(page, 'Jain index').textContent();
    expect(jain).toContain('unknown');
    expect(jain).toContain('gateways reported too little of their traffic');
    expect(await page.locator('#tenants-rows tr').first().textContent()).toContain('unknown');
    for (const [at, words] of [
      ['10:57', 'No traffic: no request arrived in this window.'],
      ['10:55', 'Not computed: no result is stored for this window.'],
    ] as const) {
      const other = await open(`/?pool=llm-b&at=2026-11-01T${at}:00Z`);
      await other.locator('#window-text', { hasText: words }).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  test('says when it cannot refresh, keeps the old figures, calls them stale after 90 s, and recovers', async () => {
    const page = await open('/?pool=llm-a');
    await live(page);
    reader.failure = new EvenshareError('EVS_STORE_UNREACHABLE', 'the store cannot be reached', { retryable: true });
    await page.clock.runFor(REFRESH_MS);
    await page.locator('#live[data-state=error]').waitFor();
    expect(await textOf(page, '#notice')).toContain('Could not refresh: the store cannot be reached.');
    expect(await textOf(page, '#verdict-text')).toContain('Unfair:');
    await page.clock.fastForward(90_000);
    await page.locator('#live[data-state=stale]').waitFor();
    reader.failure = null;
    await page.clock.runFor(REFRESH_MS);
    await live(page);
    expect(await page.locator('#notice').isVisible()).toBe(false);
    // The browser itself reports each answer of 503; nothing else may be wrong.
    expect(complaints.filter((complaint) => !complaint.includes('503'))).toEqual([]);
  });

  test('says that there is no data yet, and shows the first figures when they come', async () => {
    reader.stored.clear();
    const page = await open('/');
    await page.locator('#notice', { hasText: 'No data yet' }).waitFor();
    reader.stored.set('llm-a', BURST);
    await page.clock.runFor(REFRESH_MS);
    await page.locator('#verdict-text', { hasText: 'Unfair:' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('takes a token from the address or asks for it, and forgets neither it nor the view', async () => {
    await app.close();
    await serve([{ token: 'let-me-in', scope: 'operator' }]);
    const page = await open('/?pool=llm-a#token=let-me-in');
    await live(page);
    expect(page.url()).toBe(`${url}/?pool=llm-a`);
    const stranger = await open('/?pool=llm-a');
    await stranger.locator('#token-input').fill('let-me-in');
    await stranger.keyboard.press('Enter');
    await live(stranger);
    expect(await stranger.locator('#token-form').isVisible()).toBe(false);
    expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
  });

  test('draws ten thousand tenants as 25 rows and 21 bars, more on request', async () => {
    const newest = BURST.windows.at(-1);
    const [sample] = newest?.tenants ?? [];
    if (newest === undefined || sample === undefined) throw new Error('the hour is empty');
    const tenants = Array.from({ length: 10_000 }, (_, index) => ({ ...sample, tenant: `tenant ${index}` }));
    reader.stored.set('llm-a', { ...BURST, windows: [{ ...newest, tenants }] });
    const page = await open('/?pool=llm-a');
    await live(page);
    expect(await textOf(page, '#tenants-count')).toBe('25 of 10,000 tenants');
    await page.locator('#tenants-more').click();
    expect(await page.locator('#tenants-rows tr').count()).toBe(125);
    expect(await page.locator('#share-chart').getAttribute('aria-label')).toContain('21 bars');
    expect(complaints).toEqual([]);
  });

  test('travels compressed; its assets may be kept for a year, itself not at all', async () => {
    const page = await app.inject('/');
    expect(page.headers['cache-control']).toBe('no-cache');
    const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(page.body)?.[1] ?? '';
    const { headers } = await app.inject({ url: script, headers: { 'accept-encoding': 'gzip, br' } });
    expect(headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(Number(headers['content-length'])).toBeLessThan(200_000);
  });

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 400, height: 800 } }],
  ] as const)('fits its screen (%s); a picture of it is kept', async (name, options) => {
    const page = await open('/?pool=llm-a', options);
    await live(page);
    await page.clock.runFor(100);
    const overflowPx = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    expect(overflowPx).toBeLessThanOrEqual(0);
    const path = join(shots, `${name}.png`);
    await page.screenshot({ path, fullPage: true });
    console.info(`page, ${name}: ${path}`);
    expect(complaints).toEqual([]);
  });
});
