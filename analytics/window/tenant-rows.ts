import { createHash } from 'node:crypto';
import type { Store } from '../storage/index.ts';
import { TENANT_COLUMN_NAMES, tenantFigures, tenantPlace, type WindowRow } from './window-cells.ts';
import type { TenantWindow } from './window-result.ts';

/** The rows of a window's tenants as text, in pieces: a million tenants would be a text too long. */
export interface TenantRows {
  readonly texts: readonly string[];
  /** Of what the rows say; the same whichever computation says it. */
  readonly digest: string;
}

/** A piece has so many rows; about 300 characters each. */
const ROWS_PER_TEXT = 20_000;
/** Characters that one insert takes. */
const MAX_INSERT_CHARACTERS = 64 * 1024 * 1024;

export function writeTenantRows(
  row: Pick<WindowRow, 'pool' | 'windowMs' | 'startMs' | 'computation' | 'fluidBacklogOf'>,
  tenants: readonly TenantWindow[],
): TenantRows {
  const place = tenantPlace(row);
  const { fluidBacklogOf } = row;
  const hash = createHash('sha256');
  const texts: string[] = [];
  for (let from = 0; from < tenants.length; from += ROWS_PER_TEXT) {
    const figures = tenants
      .slice(from, from + ROWS_PER_TEXT)
      .map((tenant) => tenantFigures({ fluidBacklogOf, tenant }));
    hash.update(figures.join(''));
    texts.push(place + figures.join(place));
  }
  return { texts, digest: hash.digest('hex') };
}

/** Inserts pieces of rows, many at once. Idempotent; visible with their window (see `storeWindows`). */
export async function insertTenantRows(store: Store, texts: readonly string[]): Promise<void> {
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (characters > 0 && characters + text.length > MAX_INSERT_CHARACTERS) {
      await store.insert('jobs', 'tenant_windows', TENANT_COLUMN_NAMES, batch.join(''));
      batch = [];
      characters = 0;
    }
    batch.push(text);
    characters += text.length;
  }
  await store.insert('jobs', 'tenant_windows', TENANT_COLUMN_NAMES, batch.join(''));
}
