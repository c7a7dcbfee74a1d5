import type { PageView, Refusal } from './load-page.ts';
import { displayName } from './names.ts';
import type { Selection } from './url-state.ts';

/**
 * What stands between the reader and the figures, if anything: each of these has words of its own. Null when the figures
 * speak for themselves.
 */
export function noticeWords(page: PageView | null, failure: Refusal | null, selection: Selection): string | null {
  if (failure !== null) {
    const kept = page === null ? '' : ' The figures below are from the last refresh that succeeded.';
    return `Could not refresh: ${failure.detail}.${kept} Trying again every few seconds.`;
  }
  if (page === null) return 'Loading the figures…';
  if (page.pools.pools.length === 0) {
    return 'No data yet: no event has been stored. Figures appear a minute or two after the first events arrive.';
  }
  if (page.pool === null) return `There is no pool “${displayName(selection.pool ?? '')}” here. Choose one below.`;
  if (page.view !== null) return null;
  return page.pool.newest_arrival_ms === null
    ? `No data yet for pool “${displayName(page.pool.pool)}”.`
    : `Pool “${displayName(page.pool.pool)}” has events, but no window is computed yet: the first one is ready a little after its minute ends.`;
}
