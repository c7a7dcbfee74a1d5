import type { LedgerEntry, TopCause } from './explanation.ts';

/** Of equal causes the first is named. */
const ORDER = ['over_served', 'idle_slots', 'lost_capacity', 'carried_over'] as const;
/** Of a deficit of which everything else explains less than this part, what is owed from before explains the rest. */
const LEAST_OWN_RATIO = 0.05;

/**
 * What a deficit is put down to above all: the cause with the largest part, and, where that is tenants served beyond
 * their share, who of them accounts for the most. A debt that goes on growing is this window's doing: it counts only
 * where the window added nothing of note, or has no cause of its own: nobody over its share, no slots idle or lost. Then
 * it is put down to who was served ahead in earlier windows and still is, if anybody is. What nothing explains (`none`) is
 * the top cause only where there is no other.
 *
 * @param debtCost what of the entry `carried_over` was owed when the window began, and not only waited for behind others.
 */
export function topCause(
  entries: readonly LedgerEntry[],
  debtCost: number,
  { hasOwnCause, holder }: { readonly hasOwnCause: boolean; readonly holder: string | null },
): TopCause {
  const costs = new Map<string, number>();
  let total = 0;
  for (const entry of entries) {
    costs.set(entry.cause, (costs.get(entry.cause) ?? 0) + entry.cost);
    total += entry.cost;
  }
  const countsDebt = !hasOwnCause || total - debtCost < LEAST_OWN_RATIO * total;
  if (!countsDebt) costs.set('carried_over', (costs.get('carried_over') ?? 0) - debtCost);
  let top: (typeof ORDER)[number] | null = null;
  for (const cause of ORDER) {
    if ((costs.get(cause) ?? 0) > (top === null ? 0 : (costs.get(top) ?? 0))) top = cause;
  }
  if (top === null) return { cause: 'none', tenant: null };
  if (top === 'carried_over' && holder !== null) return { cause: 'over_served', tenant: holder };
  if (top !== 'over_served') return { cause: top, tenant: null };
  let culprit: LedgerEntry | null = null;
  for (const entry of entries) {
    if (entry.tenant !== null && entry.cost > (culprit?.cost ?? 0)) culprit = entry;
  }
  return { cause: top, tenant: culprit?.tenant ?? null };
}
