import fc from 'fast-check';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TenantHistoryWindow } from '../../analytics/index.ts';
import { calendarMonth } from '../../reports/calendar/month.ts';
import { svg, writeSvg } from '../../reports/charts/svg.ts';
import { type HtmlRenderer, type Locale, openHtmlRenderer, openLocale, readReport } from '../../reports/index.ts';
import { seededRandom } from '../../scheduler-core/kernel/index.ts';
import { CHROMIUM_ARGS, requireChromium } from '../support/chromium.ts';
import { DAY_MS, fakeHistory, figures, historyWindow, MINUTE_MS, randomHistory } from './fake-history.ts';
import { anyName, HOSTILE_NAMES } from './hostile-names.ts';

const MONTH = calendarMonth('2026-10', 'Europe/Berlin');

let locale: Locale;
let renderer: HtmlRenderer;
let browser: Browser | null = null;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  locale = await openLocale('en');
  renderer = await openHtmlRenderer(locale);
});

afterAll(() => browser?.close());

async function htmlOf(
  tenant: string,
  pools: readonly (readonly [string, readonly TenantHistoryWindow[]])[],
): Promise<string> {
  const reader = fakeHistory([tenant, new Map(pools)]);
  const nowMs = MONTH.endMs + 9 * DAY_MS;
  return renderer.render(await readReport(reader, { tenant, month: MONTH, pool: null, nowMs, locale }));
}

/** A day with everything that a page shows: incidents, refusals, unknown windows. */
const DAY = randomHistory(seededRandom(1), { fromMs: MONTH.startMs, toMs: MONTH.startMs + DAY_MS, windows: 200 });

describe('the page of a report, as text', () => {
  it('stands alone: no script, no address, a policy that allows its one style sheet and nothing else', async () => {
    const html = await htmlOf('acme', [['p', DAY]]);
    const found = (pattern: RegExp): string | undefined => pattern.exec(html)?.[0];
    expect(found(/<script|<link|<img|<iframe|<object|javascript:|@import|url\(/i)).toBeUndefined();
    // The name of SVG's own namespace is the only address that could stand in it, and inline SVG needs none.
    expect(found(/https?:\/\/.{0,40}/)).toBeUndefined();
    expect(found(/ style=| on[a-z]+=/i)).toBeUndefined();
    expect(
      found(/Content-Security-Policy" content="[^"]*"/)
        ?.replaceAll('&#x27;', "'")
        .replaceAll('&#x3D;', '='),
    ).toMatch(/"default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'"$/);
  });

  it('is the same bytes for the same report', async () => {
    expect(await htmlOf('acme', [['p', DAY]])).toBe(await htmlOf('acme', [['p', DAY]]));
  });

  it('shows every history without a missing word or figure', async () => {
    const windows = fc.tuple(fc.integer(), fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 31 }));
    await fc.assert(
      fc.asyncProperty(windows, async ([seed, count, days]) => {
        const random = seededRandom(seed);
        const span = { fromMs: MONTH.startMs, toMs: MONTH.startMs + days * DAY_MS, windows: count };
        const pools = ['p', 'q'].map((pool) => [pool, randomHistory(random, span)] as const);
        if (pools.every(([, history]) => history.every((window) => window.tenant === null))) return;
        const html = await htmlOf('acme', pools);
        expect(
          /undefined|NaN|\[object|Infinity|[^"]\{\w+\}/.exec(html.replace(/<style>.*?<\/style>/s, ''))?.[0],
        ).toBeUndefined();
      }),
      { numRuns: 40, seed: 8 },
    );
  });
});

describe('the page of a report, in a browser', () => {
  beforeEach(async (context) => {
    const executablePath = requireChromium(context);
    browser ??= await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS], headless: true });
    complaints = [];
    page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => complaints.push(`request: ${request.url()}`));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return () => page.close();
  });

  const tagsOf = (): Promise<unknown> =>
    page.evaluate('[...document.querySelectorAll("*")].map((element) => element.localName).join(" ")');

  it('holds any name as text, exactly, and no element that is not its own', async () => {
    await page.setContent(await htmlOf('acme', [['p', DAY]]));
    const ownTags = await tagsOf();
    await fc.assert(
      fc.asyncProperty(anyName(), anyName(), async (tenant, pool) => {
        const history = DAY.map((window) => ({ ...window, verdictReasons: window.verdictReasons.map(() => pool) }));
        await page.setContent(await htmlOf(tenant, [[pool, history]]));
        expect(await page.locator('h1').textContent()).toBe(tenant);
        expect(await page.locator('.title .muted').textContent()).toContain(pool);
        expect(await page.locator('.facts').textContent()).toContain(pool.replaceAll('_', ' '));
        expect(await tagsOf()).toBe(ownTags);
        expect(complaints).toEqual([]);
      }),
      { numRuns: 20, seed: 9, examples: HOSTILE_NAMES.map((name): [string, string] => [name, name]) },
    );
  });

  it('reads attributes and texts of pictures back as they were written', async () => {
    const names = fc.sample(fc.string({ unit: 'binary' }), { numRuns: 300, seed: 10 });
    const texts = [...HOSTILE_NAMES, ...names].map((name) => name.replaceAll('\0', ''));
    const markup = texts.map((text) => writeSvg(svg('svg', {}, [svg('text', { 'data-name': text }, [text])])));
    const read = await page.evaluate(`${JSON.stringify(markup)}.map((markup) => {
      const parsed = new DOMParser().parseFromString(markup, 'text/html');
      const text = parsed.querySelector('svg > text');
      return [text.textContent, text.dataset.name, parsed.querySelectorAll('body *').length];
    })`);
    expect(read).toEqual(texts.map((text) => [text, text, 2]));
  });

  it('shows the figures of its report, applies its styles, and asks for nothing', async () => {
    const windows = [0, 1, 2, 30].map((minute) =>
      historyWindow(
        MONTH.startMs + minute * MINUTE_MS,
        figures({ verdict: minute < 3 ? 'short' : 'fair', servedCost: 4, normalizedShare: 0.4, waitP99Ms: 1_500 }),
        { othersOverServed: minute < 3 ? 1 : 0 },
      ),
    );
    await page.setContent(await htmlOf('acme', [['p', windows]]));
    const tiles = await page.locator('.tile').allTextContents();
    expect(tiles.map((tile) => tile.replace(/\s+/g, ' ').trim())).toEqual([
      'Windows with demand 4 of 4 windows of 1 min stored for the pool',
      'Windows short 3 in 1 incident; served under 90% of its share in 4 windows',
      'Served ÷ fair share 40% 16 of 40 requests',
      'Lowest normalized share 0.400 1 Oct 00:00',
      'Windows with p99 over 500 ms 4 of 4 with waits; highest 1.5 s',
      'Refused attempts 0 0% of 40 attempts',
    ]);
    const cells = await page
      .locator('section:has(h2:text("Incidents")) tbody tr')
      .first()
      .locator('th, td')
      .allTextContents();
    expect(cells).toEqual([
      '1 Oct 00:00 – 00:03',
      '3 windows',
      '0.400',
      '1.5 s',
      '0',
      'another tenant was served beyond its share',
    ]);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".card")).borderRadius')).toBe('10px');
    expect(await page.locator('svg.chart').count()).toBe(4);
    expect(complaints).toEqual([]);
  });

  it.each([1_280, 400])('fits a screen of %d px and prints to A4', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    const month = randomHistory(seededRandom(2), { fromMs: MONTH.startMs, toMs: MONTH.endMs, windows: 3_000 });
    await page.setContent(await htmlOf('x'.repeat(128), [['p', month]]));
    expect(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))).toBeLessThanOrEqual(0);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString('latin1')).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]/);
    expect(complaints).toEqual([]);
  });
});
