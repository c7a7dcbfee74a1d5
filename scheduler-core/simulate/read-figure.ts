import type { PolicyResult } from './simulation-result.ts';

/**
 * A figure of a result by its name: `jain_index`; `TENANT.rate_rps`, `TENANT.wait_ms.p99`; of a figure with a tenant
 * (`min_normalized_share`) its value, of counts by reason (`rejected`) their sum. Null: unknown, or there is no such figure.
 */
export function readFigure(result: PolicyResult, name: string): number | null {
  for (const tenant of result.tenants) {
    const path = name.startsWith(`${tenant.tenant}.`) ? name.slice(tenant.tenant.length + 1) : null;
    const found = path === null ? null : numberAt(tenant, path.split('.'));
    if (found !== null) return found;
  }
  return numberAt(result, name.split('.'));
}

function numberAt(value: unknown, path: readonly string[]): number | null {
  const [key, ...rest] = path;
  if (key !== undefined) return isRecord(value) && Object.hasOwn(value, key) ? numberAt(value[key], rest) : null;
  if (typeof value === 'number') return value;
  if (!isRecord(value)) return null;
  if (typeof value.value === 'number') return value.value;
  const counts = Object.values(value);
  return counts.every((count) => typeof count === 'number')
    ? counts.reduce((sum: number, count) => sum + count, 0)
    : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
