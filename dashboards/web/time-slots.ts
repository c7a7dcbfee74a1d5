import type { Window } from '../api-schema.ts';

const HOUR_MS = 60 * 60_000;
const MIN_SLOTS = 12;
const MAX_SLOTS = 120;

/** A place on the time axis; `window` is null where none is stored. */
export interface Slot {
  readonly startMs: number;
  readonly endMs: number;
  readonly window: Window | null;
}

export interface SlotRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How many windows the page shows at once: an hour of them, within what can be told apart on a screen. */
export function slotCount(windowMs: number): number {
  return Math.min(MAX_SLOTS, Math.max(MIN_SLOTS, Math.round(HOUR_MS / windowMs)));
}

/**
 * The range to show: it ends with the newest window, or, where `atMs` (the window that somebody chose) lies before that,
 * holds it in its middle.
 */
export function slotRange(newestEndMs: number, atMs: number | null, windowMs: number): SlotRange {
  const spanMs = slotCount(windowMs) * windowMs;
  if (atMs === null || atMs >= newestEndMs - spanMs) return { fromMs: newestEndMs - spanMs, toMs: newestEndMs };
  const middleMs = Math.floor(atMs / windowMs) * windowMs + Math.ceil(slotCount(windowMs) / 2) * windowMs;
  const toMs = Math.min(newestEndMs, middleMs);
  return { fromMs: toMs - spanMs, toMs };
}

/** Every slot of the range in time order, each with its window where there is one. */
export function slotsOf(range: SlotRange, windows: readonly Window[], windowMs: number): readonly Slot[] {
  const byStart = new Map(windows.map((window) => [Date.parse(window.start), window]));
  const slots: Slot[] = [];
  for (let startMs = range.fromMs; startMs < range.toMs; startMs += windowMs) {
    slots.push({ startMs, endMs: startMs + windowMs, window: byStart.get(startMs) ?? null });
  }
  return slots;
}

/** The slot that holds a time, or the nearest one. */
export function slotIndexAt(slots: readonly Slot[], timeMs: number): number {
  const index = slots.findIndex((slot) => timeMs < slot.endMs);
  return index === -1 ? slots.length - 1 : index;
}
