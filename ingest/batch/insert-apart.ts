import { isAboutRows, rowInRefusal } from '../../analytics/storage/index.ts';

/** A row that the store does not take. */
export interface RefusedRow {
  /** Among the rows that were to be inserted. */
  readonly index: number;
  readonly error: unknown;
}

/** Inserts the rows `[from, to)`, or throws and inserts none of them. */
export type InsertRows = (from: number, to: number) => Promise<void>;

/**
 * How often refused rows are cut apart: enough for dozens of bad ones among thousands. When it does not suffice, it is
 * hardly the rows: then the store's refusal stands, and whoever inserts stops with it.
 */
const MAX_CUTS = 1_000;

/**
 * Inserts rows; those that the store does not take are found and left out. Where it names a row it is cut there, else in
 * the middle. What is inserted twice by doing it again is merged.
 *
 * @returns The rows left out, in order.
 * @throws What the store says of anything but rows, and of rows when there are too many of them.
 */
export async function insertApart(insert: InsertRows, count: number): Promise<RefusedRow[]> {
  const search = { insert, refused: [] as RefusedRow[], cutsLeft: MAX_CUTS, trustsHints: true };
  await insertRange(search, 0, count);
  return search.refused;
}

interface Search {
  readonly insert: InsertRows;
  readonly refused: RefusedRow[];
  cutsLeft: number;
  trustsHints: boolean;
}

async function insertRange(search: Search, from: number, to: number): Promise<void> {
  if (from === to) return;
  try {
    await search.insert(from, to);
  } catch (error) {
    if (!isAboutRows(error) || search.cutsLeft === 0) throw error;
    if (to - from === 1) {
      search.refused.push({ index: from, error });
      return;
    }
    search.cutsLeft--;
    const named = search.trustsHints ? rowInRefusal(error) : null;
    if (named !== null && named >= 0 && named < to - from) await insertAround(search, from, to, from + named);
    else await insertHalves(search, from, to);
  }
}

async function insertHalves(search: Search, from: number, to: number): Promise<void> {
  const middle = Math.ceil((from + to) / 2);
  await insertRange(search, from, middle);
  await insertRange(search, middle, to);
}

async function insertAround(search: Search, from: number, to: number, named: number): Promise<void> {
  await insertRange(search, from, named);
  const before = search.refused.length;
  await insertRange(search, named, named + 1);
  // Somebody's value looked like the name of a row: without hints, halves cannot be led astray.
  if (search.refused.length === before) search.trustsHints = false;
  await insertRange(search, named + 1, to);
}
