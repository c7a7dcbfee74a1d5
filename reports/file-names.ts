import { createHash } from 'node:crypto';
import type { ReportDocument } from './report-document.ts';

export const REPORT_FORMATS = ['html', 'csv', 'json'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

const MAX_SLUG_LENGTH = 40;
const HASH_LENGTH = 12;

/**
 * The name of a report's file without its ending: `evenshare-2026-11-acme-corp-3fa9c1d20b7e`. What it is made of is
 * hostile (a tenant may be called `../x`), so the name keeps only letters and digits of it, and a hash of tenant, zone
 * and pool tells apart what these leave alike. Names are distinct on file systems that ignore case, too.
 */
export function reportFileStem(of: {
  readonly tenant: string;
  readonly month: string;
  readonly timeZone: string;
  readonly pool: string | null;
}): string {
  const slug = of.tenant
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
  const identity = JSON.stringify([of.tenant, of.timeZone, of.pool]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_LENGTH);
  return ['evenshare', of.month, ...(slug === '' ? [] : [slug]), hash].join('-');
}

/** The stem for a document. */
export function fileStemOf({ tenant, period, pool_filter: pool }: ReportDocument): string {
  return reportFileStem({ tenant, month: period.month, timeZone: period.time_zone, pool });
}
