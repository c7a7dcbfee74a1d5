import type { PoolProgress, TenantHistoryReader } from '../analytics/index.ts';
import { EvenshareError } from '../scheduler-core/index.ts';
import { buildReport } from './build-report.ts';
import type { CalendarMonth } from './calendar/month.ts';
import type { Locale } from './locale.ts';
import { PoolTally } from './pool-tally.ts';
import type { ReportDocument } from './report-document.ts';

export interface ReportRequest {
  readonly tenant: string;
  readonly month: CalendarMonth;
  /** One pool; null for all in which the tenant has windows. */
  readonly pool: string | null;
  readonly nowMs: number;
  readonly locale: Locale;
  /** How far the pools are computed, where the caller has it already. */
  readonly progress?: readonly PoolProgress[];
}

/**
 * Reads a tenant's month from the stored windows and makes its report. Nothing is computed anew.
 *
 * @throws EVS_USAGE for a tenant or pool that the store does not know, EVS_REPORT_EMPTY where there is nothing to report.
 */
export async function readReport(reader: TenantHistoryReader, request: ReportRequest): Promise<ReportDocument> {
  const { tenant, month, pool } = request;
  const range = { fromMs: month.startMs, toMs: month.endMs };
  const progress = request.progress ?? (await reader.progress(range));
  if (pool !== null && !progress.some((each) => each.pool === pool)) throw unknownPool(pool, progress);
  const pools = (await reader.poolsOf(tenant, range)).filter((each) => pool === null || each === pool);
  const tallies: { pool: string; tally: PoolTally }[] = [];
  for (const each of pools) {
    const tally = new PoolTally(each, month, reader.windowMs);
    for await (const page of reader.windows(each, tenant, range)) for (const window of page) tally.add(window);
    if (!tally.isEmpty) tallies.push({ pool: each, tally });
  }
  if (tallies.length === 0) throw await nothingToReport(reader, request, progress);
  return buildReport({
    tenant,
    month,
    poolFilter: pool,
    windowMs: reader.windowMs,
    pools: tallies,
    progress,
    nowMs: request.nowMs,
    locale: request.locale,
  });
}

/** The same for one of many tenants: null where it has nothing to report after all. */
export async function readReportIfAny(
  reader: TenantHistoryReader,
  request: ReportRequest,
): Promise<ReportDocument | null> {
  try {
    return await readReport(reader, request);
  } catch (error) {
    // A tenant that late events took out of every window of the month, or that is not in the pool.
    if (error instanceof EvenshareError && error.code === 'EVS_REPORT_EMPTY') return null;
    throw error;
  }
}

async function nothingToReport(
  reader: TenantHistoryReader,
  { tenant, month, pool }: ReportRequest,
  progress: readonly PoolProgress[],
): Promise<EvenshareError> {
  const name = JSON.stringify(tenant);
  const { tenantsInStore, span } = await reader.known(tenant);
  const uncomputed = progress.reduce((hours, each) => hours + each.hoursNotComputed, 0);
  const hint = uncomputed > 0 ? '; the month has requests that are not computed yet: run "evenshare analyze"' : '';
  if (tenantsInStore === 0) {
    return new EvenshareError('EVS_REPORT_EMPTY', `the store holds no windows to report${hint}`);
  }
  if (span === null) {
    const known = tenantsInStore === 1 ? '1 tenant' : `${tenantsInStore} tenants`;
    return new EvenshareError(
      'EVS_USAGE',
      `--tenant ${name} is not in the store, which has windows of ${known}${hint}`,
    );
  }
  const where = pool === null ? '' : ` in pool ${JSON.stringify(pool)}`;
  const since = `${new Date(span.firstMs).toISOString()} to ${new Date(span.lastMs + reader.windowMs).toISOString()}`;
  return new EvenshareError(
    'EVS_REPORT_EMPTY',
    `${name} has no windows in ${month.month} (${month.timeZone})${where}: its windows are from ${since}${hint}`,
  );
}

function unknownPool(pool: string, progress: readonly PoolProgress[]): EvenshareError {
  if (progress.length === 0) return new EvenshareError('EVS_REPORT_EMPTY', 'the store holds no windows to report');
  const names = progress.map((each) => each.pool).join(', ');
  return new EvenshareError('EVS_USAGE', `--pool ${JSON.stringify(pool)} is not in the store: it has ${names}`);
}
