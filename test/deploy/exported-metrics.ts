import { collectDefaultMetrics, Registry } from 'prom-client';
import { createPoolMetrics } from '../../analytics/index.ts';
import { JobState } from '../../cli/roles/job-state.ts';
import { createIngestMetrics } from '../../ingest/index.ts';
import { readSources } from '../support/source-files.ts';

/** Label names per metric that the product exports; null where they are not known here. */
export type ExportedMetrics = ReadonlyMap<string, readonly string[] | null>;

/** From the real registrations where they can be made here, and by name from the sources of the others. */
export async function exportedMetrics(): Promise<ExportedMetrics> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'evenshare_' });
  createPoolMetrics(registry, 60_000);
  createIngestMetrics(registry);
  new JobState(registry, 0);
  const metrics = new Map<string, readonly string[] | null>();
  for (const { text } of readSources(['analytics', 'ingest', 'cli']).flatMap((source) => source.texts)) {
    if (/^evenshare_[a-z0-9]+(_[a-z0-9]+)+$/.test(text)) metrics.set(text, null);
  }
  for (const { name, type } of await registry.getMetricsAsJSON()) {
    const labels = labelNamesOf(registry.getSingleMetric(name));
    metrics.set(name, labels);
    // The type is an enum of the client library; a scrape shows its name.
    if (String(type) !== 'histogram') continue;
    for (const part of ['sum', 'count']) metrics.set(`${name}_${part}`, labels);
    metrics.set(`${name}_bucket`, [...(labels ?? []), 'le']);
  }
  registry.clear();
  return metrics;
}

function labelNamesOf(metric: unknown): string[] | null {
  if (typeof metric !== 'object' || metric === null || !('labelNames' in metric)) return null;
  return Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : null;
}
