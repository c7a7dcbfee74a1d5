import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { type Static, Type } from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { WINDOW_VERDICTS } from '../../analytics/window/window-result.ts';
import { ROOT, readText } from './compose-file.ts';
import { type ExportedMetrics, exportedMetrics } from './exported-metrics.ts';
import { parsePromql } from './promql.ts';

const Source = Type.Object({ type: Type.Literal('prometheus'), uid: Type.Literal('$' + '{datasource}') });
const Place = Type.Object({ x: Type.Integer(), y: Type.Integer(), w: Type.Integer(), h: Type.Integer() });
const Row = Type.Object({ id: Type.Integer(), type: Type.Literal('row'), title: Type.String(), gridPos: Place });
const Panel = Type.Object({
  id: Type.Integer(),
  type: Type.Enum(['timeseries', 'table', 'state-timeline']),
  title: Type.String({ minLength: 1 }),
  // What a figure means stands where it is shown.
  description: Type.String({ minLength: 1 }),
  datasource: Source,
  gridPos: Place,
  fieldConfig: Type.Object({ defaults: Type.Object({ mappings: Type.Optional(Type.Array(Type.Unknown())) }) }),
  targets: Type.Array(Type.Object({ refId: Type.String(), datasource: Source, expr: Type.String({ minLength: 1 }) }), {
    minItems: 1,
  }),
});
const DashboardSchema = Type.Object({
  uid: Type.String({ minLength: 1 }),
  title: Type.String({ minLength: 1 }),
  panels: Type.Array(Type.Union([Row, Panel])),
  templating: Type.Object({ list: Type.Array(Type.Object({ name: Type.String() })) }),
});
type Dashboard = Static<typeof DashboardSchema>;

const ajv = new Ajv({ allErrors: true });
const isDashboard = ajv.compile<Dashboard>(DashboardSchema);

function readDashboard(name: string): Dashboard {
  const dashboard: unknown = JSON.parse(readText(`dashboards/grafana/${name}`));
  if (isDashboard(dashboard)) return dashboard;
  throw new Error(`${name}: ${ajv.errorsText(isDashboard.errors)}`);
}

/** Labels that Prometheus adds to every sample (deploy/prometheus.yml). */
const TARGET_LABELS = ['job', 'instance', 'role'];

function expressionFaults(expression: string, exported: ExportedMetrics): string[] {
  const { metrics, labels, faults } = parsePromql(expression);
  const known = metrics.flatMap((metric) => (metric === 'up' ? [] : (exported.get(metric) ?? [])));
  return [
    ...faults.map((fault) => `does not parse ${fault}`),
    ...metrics
      .filter((metric) => metric !== 'up' && !exported.has(metric))
      .map((metric) => `nothing exports ${metric}`),
    ...labels
      .filter((label) => !known.includes(label) && !TARGET_LABELS.includes(label))
      .map((label) => `no metric here has the label ${label}`),
  ];
}

let exported: ExportedMetrics;
beforeAll(async () => {
  exported = await exportedMetrics();
});

const names = readdirSync(join(ROOT, 'dashboards/grafana')).sort();

it('there is one dashboard, under the name that the compose file shows first', () => {
  expect(names).toEqual(['evenshare.json']);
});

describe.each(names)('dashboards/grafana/%s', (name) => {
  const { panels, templating } = readDashboard(name);
  const targets = panels.flatMap((panel) => ('targets' in panel ? panel.targets : []));

  it('numbers every panel once', () => {
    const ids = panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('lays no panel over another', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([]);
  });

  it('asks only for metrics and labels that the product exports, in expressions that parse', () => {
    for (const { expr } of targets) expect(expressionFaults(expr, exported), expr).toEqual([]);
  });

  it('knows every variable that its expressions use', () => {
    const used = new Set(targets.flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)].map((found) => found[1])));
    const known = [...templating.list.map((variable) => variable.name), '__rate_interval'];
    expect([...used].filter((variable) => variable !== undefined && !known.includes(variable))).toEqual([]);
  });

  it('never averages a figure of a window over time or pools: that would mean nothing', () => {
    for (const { expr } of targets) {
      const { metrics, operations } = parsePromql(expr);
      if (!metrics.some((metric) => /^evenshare_(pool|tenants?)_/.test(metric))) continue;
      expect(
        operations.filter((operation) => !['min', 'max', 'topk', 'time'].includes(operation)),
        expr,
      ).toEqual([]);
    }
  });

  it('shows every figure that the product exports of its own work', () => {
    // Of a histogram any part will do.
    const whole = (metric: string): string => metric.replace(/_(sum|count|bucket)$/, '');
    const shown = new Set(targets.flatMap(({ expr }) => parsePromql(expr).metrics.map(whole)));
    const own = [...exported.keys()].filter((metric) => /^evenshare_(pools?|tenants?|ingest|job|kafka)_/.test(metric));
    const wanted = own.filter((metric) => whole(metric) === metric || !exported.has(whole(metric)));
    expect(wanted.length).toBeGreaterThan(10);
    expect(wanted.filter((metric) => !shown.has(metric))).toEqual([]);
  });

  it('names every verdict that a window can have', () => {
    const timeline = panels.find((panel) => panel.type === 'state-timeline');
    if (timeline === undefined || !('targets' in timeline)) throw new Error('there is no timeline of verdicts');
    const [target] = timeline.targets;
    const codes = [...(target?.expr ?? '').matchAll(/verdict="(\w+)"\} == 1\) \* (\d+)/g)];
    expect(codes.map(([, verdict]) => verdict).sort()).toEqual([...WINDOW_VERDICTS].sort());
    const texts = Object.fromEntries(codes.map(([, verdict, code]) => [code, { text: verdict }]));
    expect(timeline.fieldConfig.defaults.mappings).toMatchObject([{ type: 'value', options: texts }]);
  });
});

it.each([
  ['a metric that nothing exports', 'max(evenshare_pool_jane_index)', ['nothing exports evenshare_pool_jane_index']],
  [
    'a label that the metric has not',
    'max by (tenant) (evenshare_pool_jain_index)',
    ['no metric here has the label tenant'],
  ],
  ['a bracket that is missing', 'sum(rate(up[1m])', ['does not parse at 16: ""']],
])('the check itself finds %s', (_why, expression, faults) => {
  expect(expressionFaults(expression, exported)).toEqual(faults);
});
