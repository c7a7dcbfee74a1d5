/** From `atMs` on so many slots serve, ≥ 0. */
export interface SlotChange {
  readonly atMs: number;
  readonly slots: number;
}

/** Slot-time that is there in `[fromMs, toMs)`, ms × slots: `slots` at first, then as the changes (sorted) say. */
export function availableSlotMs(
  slots: number,
  changes: readonly SlotChange[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): number {
  let total = 0;
  let atMs = fromMs;
  let now = slots;
  for (const change of changes) {
    const untilMs = Math.min(Math.max(change.atMs, atMs), toMs);
    total += now * (untilMs - atMs);
    atMs = untilMs;
    now = change.slots;
  }
  return total + now * (toMs - atMs);
}
