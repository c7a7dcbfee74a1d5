/** What the reader chose. It lives in the URL, so that a view can be sent to somebody else. */
export interface Selection {
  /** Null: the first pool. */
  readonly pool: string | null;
  /** Start of the chosen window, epoch ms; null: follow the newest. */
  readonly atMs: number | null;
}

/** Reads `?pool=…&at=…` (RFC 3339); what cannot be read is as if it were absent. */
export function parseSelection(search: string): Selection {
  const parameters = new URLSearchParams(search);
  const atMs = Date.parse(parameters.get('at') ?? '');
  return { pool: parameters.get('pool'), atMs: Number.isNaN(atMs) ? null : atMs };
}

/** The query of a selection, with its `?`; parameters that are not ours stay. */
export function formatSelection(selection: Selection, search: string): string {
  const parameters = new URLSearchParams(search);
  setOrDelete(parameters, 'pool', selection.pool);
  setOrDelete(parameters, 'at', selection.atMs === null ? null : new Date(selection.atMs).toISOString());
  const query = parameters.toString();
  return query === '' ? '' : `?${query}`;
}

function setOrDelete(parameters: URLSearchParams, name: string, value: string | null): void {
  if (value === null) parameters.delete(name);
  else parameters.set(name, value);
}
