import type { Rejection } from '../event/decision-event.ts';
import { reject } from '../event/decision-event.ts';

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The number in a cell; null when the cell is empty or not there; `wrong_type` for any other text. */
export function cellNumber(text: string | undefined, column: string): number | null | Rejection {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return null;
  if (!NUMBER.test(trimmed)) return reject('wrong_type', `${column} must be a number`);
  return Number(trimmed);
}

/** The numbers of several cells by column, or the first fault. */
export function cellNumbers<K extends string>(
  fields: Readonly<Record<string, string>>,
  columns: readonly K[],
): { readonly ok: true; readonly values: ReadonlyMap<K, number> } | { readonly ok: false; readonly fault: Rejection } {
  const values = new Map<K, number>();
  for (const column of columns) {
    const value = cellNumber(fields[column], column);
    if (typeof value === 'number') values.set(column, value);
    else if (value !== null) return { ok: false, fault: value };
  }
  return { ok: true, values };
}
