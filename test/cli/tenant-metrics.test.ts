import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PoolSeries, Window } from '../../analytics/index.ts';
import { REST_LABEL, tenantLabel } from '../../analytics/tenant-label.ts';
import { computeRange } from '../../analytics/window/compute-range.ts';
import { readWindows } from '../../analytics/window/read-windows.ts';
import { storeTenantSeries } from '../../analytics/window/tenant-series.ts';
import { systemClock } from '../../cli/clock.ts';
import { loadConfig } from '../../cli/load-config.ts';
import { type HttpRole, startHttp } from '../../cli/roles/http-role.ts';
import { openWriter } from '../../cli/wire.ts';
import type { DecisionEvent } from '../../ingest/event/decision-event.ts';
import { createIngestMetrics, storeSink } from '../../ingest/index.ts';
import { seededRandom } from '../../scheduler-core/kernel/index.ts';
import { parseExposition, type Sample } from '../support/exposition.ts';
import { declareSlots, event, insertEvents, type TemporaryStore, temporaryStore } from '../support/temporary-store.ts';

// A thousand tenants through the real store, the real server and its real exposition, at K = 10.

const FROM_MS = 1_790_848_800_000;
const WINDOW_MS = 60_000;
const K = 10;
/** The first is the loudest; the others are pinned. */
const HOSTILE = [
  '__other__',
  'a"} 1\nevenshare_pool_requests{pool="p',
  '\\',
  'bell\u0007 \u202egnp.exe',
  `${'x'.repeat(300)}1`,
  `${'x'.repeat(300)}2`,
];

let opened: TemporaryStore;
let http: HttpRole;
let samples: readonly Sample[];
let series: PoolSeries;
let window: Window | undefined;

function requests() {
  const random = seededRandom(5);
  const of = (tenant: string, count: number, cost: number, given: Partial<DecisionEvent> = {}) =>
    Array.from({ length: count }, (_, index) => {
      const arrivedAtMs = FROM_MS + Math.floor(random.next() * 50_000);
      const dispatchedAtMs = arrivedAtMs + Math.floor(random.next() * 3_000);
      const requestId = `${tenant}-${given.outcome ?? 'served'}-${index}`;
      const completedAtMs = dispatchedAtMs + 1 + Math.floor(random.next() * 2_000);
      return event({
        requestId,
        tenant,
        arrivedAtMs,
        dispatchedAtMs,
        completedAtMs,
        cost: cost * (1 + random.next()),
        ...given,
      });
    });
  const refused = {
    dispatchedAtMs: null,
    completedAtMs: null,
    outcome: 'rejected',
    reason: 'queue_full',
    cost: 0.01,
  } as const;
  return [
    ...HOSTILE.flatMap((tenant, index) => of(tenant, 20, 100 - index)),
    ...Array.from({ length: 993 }, (_, index) => of(`t${index}`, 3 + (index % 5), 1 / 3)).flat(),
    ...of('small', 1, 0.1),
    ...of('small', 9, 0.1, refused),
    ...Array.from({ length: 20 }, (_, index) => of(`t${index}`, 1, 1, refused)).flat(),
  ];
}

beforeAll(async () => {
  opened = await temporaryStore();
  const { store } = opened;
  await declareSlots(store, 'p', 40);
  await insertEvents(store, requests());
  const config = await loadConfig(undefined, {});
  const options = { ...config.poolOptions('p'), topTenants: K, pinnedTenants: HOSTILE.slice(1) };
  const range = { pool: 'p', windowMs: WINDOW_MS, fromMs: FROM_MS, toMs: FROM_MS + WINDOW_MS };
  await computeRange(store, { ...range, options, watermarkMs: range.toMs, closedToMs: range.toMs, computation: 1 });
  const windows = await readWindows(store, 'jobs', range, true);
  await storeTenantSeries(store, {
    pool: 'p',
    windowMs: WINDOW_MS,
    options,
    windows: windows.map((window) => ({ startMs: Date.parse(window.start), computation: 1, window })),
  });
  const registry = new Registry();
  const context = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: {},
    clock: systemClock,
    signal: new AbortController().signal,
  };
  http = await startHttp(
    context,
    { ...config, http: { ...config.http, port: 0, tokens: [] } },
    {
      store,
      log: pino({ level: 'silent' }),
      registry,
      sink: storeSink(openWriter(store, context)),
      metrics: createIngestMetrics(registry),
      notReady: () => [],
    },
  );
  [window] = windows;
  samples = parseExposition(await (await fetch(`${http.address}/metrics`)).text());
  const answer = await fetch(`${http.address}/api/v1/pools/p/series?from=${FROM_MS}&to=${FROM_MS + WINDOW_MS}`);
  series = JSON.parse(await answer.text());
});
afterAll(async () => {
  await http?.close();
  await opened.remove();
});

const samplesOf = (metric: string): Sample[] => samples.filter((sample) => sample.metric === metric);
const sumOf = (metric: string): number => samplesOf(metric).reduce((sum, { value }) => sum + value, 0);

describe('the metrics of a thousand tenants', () => {
  it('are at most K + 1 samples each, and say how many tenants are folded', () => {
    const metrics = [...new Set(samples.map(({ metric }) => metric))].filter((name) =>
      name.startsWith('evenshare_tenant_'),
    );
    expect(metrics).toHaveLength(8);
    for (const metric of metrics) {
      const tenants = samplesOf(metric).map(({ labels }) => labels.tenant);
      expect(tenants.length, metric).toBeLessThanOrEqual(K + 1);
      expect(tenants.length, metric).toBeGreaterThan(1);
    }
    expect(window?.tenants).toHaveLength(1_000);
    expect(samplesOf('evenshare_tenants_folded')).toMatchObject([{ labels: { pool: 'p' }, value: 1_000 - K }]);
    expect(samplesOf('evenshare_tenants_folded_rejected')[0]?.value).toBeGreaterThan(5);
  });

  it('add up to those of the pool exactly, and to what is stored', () => {
    for (const figure of ['demand_cost', 'served_cost', 'requests'] as const) {
      const [total] = samplesOf(`evenshare_pool_${figure}`);
      expect(total?.value, figure).toBe(window?.[figure]);
      expect(sumOf(`evenshare_tenant_${figure}`), figure).toBe(total?.value);
    }
    const rejected = (window?.tenants ?? []).flatMap((tenant) => Object.values(tenant.rejected));
    expect(sumOf('evenshare_tenant_rejected')).toBe(rejected.reduce((sum, count) => sum + count, 0));
  });

  it('show a small tenant that is refused nine times of ten; the loudest ten alone would not', () => {
    const shown = samplesOf('evenshare_tenant_rejected').find(({ labels }) => labels.tenant === 'small');
    expect(shown?.value).toBe(9);
    const loudest = [...(window?.tenants ?? [])]
      .sort((a, b) => (b.demand_cost ?? 0) - (a.demand_cost ?? 0))
      .slice(0, K)
      .map(({ tenant }) => tenant);
    expect(loudest).not.toContain('small');
  });

  it('keep tenants with hostile names apart, from each other and from the rest', () => {
    const labels = samplesOf('evenshare_tenant_requests').map(({ labels: { tenant } }) => tenant ?? '');
    expect(labels).toEqual(expect.arrayContaining([...HOSTILE.map(tenantLabel), REST_LABEL]));
    for (const label of labels) expect(label).toMatch(/^[^\p{Cc}\p{Cf}]{1,140}$/u);
    const [rest] = samplesOf('evenshare_tenant_requests').filter(({ labels: { tenant } }) => tenant === REST_LABEL);
    expect(rest?.value).toBe(series.windows[0]?.rest.requests);
  });

  it('are those of the lines that the API gives, with at most 5 samples', () => {
    expect(series.windows).toHaveLength(1);
    const [line] = series.windows;
    expect(line?.tenants).toHaveLength(K);
    expect(line?.rest.samples).toHaveLength(5);
    for (const tenant of line?.tenants ?? []) {
      const [sample] = samplesOf('evenshare_tenant_served_cost').filter(
        ({ labels }) => labels.tenant === tenantLabel(tenant.tenant),
      );
      expect(sample?.value).toBe(tenant.served_cost);
    }
  });
});

it('a pool that nobody knows has no lines: 404', async () => {
  expect((await fetch(`${http.address}/api/v1/pools/nowhere/series`)).status).toBe(404);
});
