/** What a window's slots did while requests waited. */
export interface Saturation {
  /** Slot-time idle while some request waited that would have fitted, in slot-ms. */
  readonly idleWhileWaitingMs: number;
  /** Time in which at least one request waited, ms. */
  readonly waitingMs: number;
  /**
   * What of the idle slot-time is the same number of slots without a break, in slot-ms: the most that a number of slots and
   * a stretch of time come to, in all of which at least so many were free, or in nearly all (95%) of the whole window's; only
   * the time in which a request waited counts.
   */
  readonly steadilyIdleMs: number;
}

/** What slots a window has, and what its requests need of them. */
export interface SlotsInWindow {
  readonly slots: number;
  /** The smallest number that one of its requests holds: free slots that are fewer fit nobody. */
  readonly smallest: number;
}

/** Slots in use are counted in whole slots and 2⁻³⁰ths, so that the order of requests changes nothing. */
const FRACTIONS_PER_SLOT = 2 ** 30;
/** All but this part of the time is nearly all of it. */
const UNSTEADY_PART = 20;
const CHUNK_MS = 4096;

/** By how much the requests that wait and the slots in use change at each millisecond of a stretch of time. */
class Changes {
  readonly waiting = new Int32Array(CHUNK_MS);
  readonly whole = new Float64Array(CHUNK_MS);
  fraction: Float64Array | null = null;
}

/**
 * A sweep over the moments of a range at which a request starts or stops to wait or to hold slots. Times are whole ms from
 * the range's start; memory goes by the time that requests touch, not by their number.
 */
export class SaturationSweep {
  readonly #windows: number;
  readonly #windowMs: number;
  readonly #chunks: (Changes | undefined)[];
  #anyWaits = false;

  constructor(windows: number, windowMs: number) {
    this.#windows = windows;
    this.#windowMs = windowMs;
    this.#chunks = new Array(Math.ceil((windows * windowMs) / CHUNK_MS));
  }

  /** A request waits over `[fromMs, toMs)`. */
  wait(fromMs: number, toMs: number): void {
    const { from, to } = this.#inRange(fromMs, toMs);
    if (from >= to) return;
    this.#anyWaits = true;
    this.#changeWaiting(from, 1);
    this.#changeWaiting(to, -1);
  }

  /** Some slots are in use over `[fromMs, toMs)`. */
  hold(fromMs: number, toMs: number, slots: number): void {
    const { from, to } = this.#inRange(fromMs, toMs);
    if (from >= to) return;
    const whole = Math.floor(slots);
    const fraction = Math.round((slots - whole) * FRACTIONS_PER_SLOT);
    this.#changeHeld(from, whole, fraction);
    this.#changeHeld(to, -whole, -fraction);
  }

  /** Per window of the range, in time order; empty when no request of it waited. */
  saturation(slotsIn: (window: number) => SlotsInWindow): Saturation[] {
    if (!this.#anyWaits) return [];
    const windows: Saturation[] = [];
    const state = { waiting: 0, whole: 0, fraction: 0 };
    for (let window = 0; window < this.#windows; window++) {
      const spells = new Spells(slotsIn(window));
      const endMs = (window + 1) * this.#windowMs;
      let sinceMs = window * this.#windowMs;
      for (let atMs = sinceMs; atMs < endMs; atMs++) {
        const chunk = this.#chunks[Math.floor(atMs / CHUNK_MS)];
        if (chunk === undefined) {
          atMs = (Math.floor(atMs / CHUNK_MS) + 1) * CHUNK_MS - 1;
          continue;
        }
        const place = atMs % CHUNK_MS;
        const waiting = chunk.waiting[place] ?? 0;
        const whole = chunk.whole[place] ?? 0;
        const fraction = chunk.fraction?.[place] ?? 0;
        if (waiting === 0 && whole === 0 && fraction === 0) continue;
        spells.add(state.whole + state.fraction / FRACTIONS_PER_SLOT, atMs - sinceMs, state.waiting > 0);
        sinceMs = atMs;
        state.waiting += waiting;
        state.whole += whole;
        state.fraction += fraction;
      }
      spells.add(state.whole + state.fraction / FRACTIONS_PER_SLOT, endMs - sinceMs, state.waiting > 0);
      windows.push(spells.saturation());
    }
    return windows;
  }

  #inRange(fromMs: number, toMs: number): { from: number; to: number } {
    return { from: Math.max(0, fromMs), to: Math.min(toMs, this.#windows * this.#windowMs) };
  }

  #changeWaiting(atMs: number, by: number): void {
    const chunk = this.#chunkAt(atMs);
    if (chunk !== null) chunk.waiting[atMs % CHUNK_MS] = (chunk.waiting[atMs % CHUNK_MS] ?? 0) + by;
  }

  #changeHeld(atMs: number, whole: number, fraction: number): void {
    const chunk = this.#chunkAt(atMs);
    if (chunk === null) return;
    const place = atMs % CHUNK_MS;
    chunk.whole[place] = (chunk.whole[place] ?? 0) + whole;
    if (fraction === 0) return;
    chunk.fraction ??= new Float64Array(CHUNK_MS);
    chunk.fraction[place] = (chunk.fraction[place] ?? 0) + fraction;
  }

  /** Null at the range's end: what ends there ends no earlier. */
  #chunkAt(atMs: number): Changes | null {
    if (atMs >= this.#windows * this.#windowMs) return null;
    const number = Math.floor(atMs / CHUNK_MS);
    let chunk = this.#chunks[number];
    if (chunk === undefined) {
      chunk = new Changes();
      this.#chunks[number] = chunk;
    }
    return chunk;
  }
}

/** The times of a window, how many slots were free in each, and whether requests waited. */
class Spells {
  readonly #slots: SlotsInWindow;
  /** Ever more free slots: since when at least as many were, as time in which requests waited, less that of those after. */
  readonly #levels: { readonly free: number; readonly waitingMs: number }[] = [];
  /** Of the spells in which requests waited. */
  readonly #waits: { readonly free: number; readonly lengthMs: number }[] = [];
  #steadyMs = 0;
  #idleMs = 0;
  #waitingMs = 0;

  constructor(slots: SlotsInWindow) {
    this.#slots = slots;
  }

  add(busy: number, lengthMs: number, waits: boolean): void {
    if (lengthMs === 0) return;
    const free = this.#slots.slots - busy;
    const waitingMs = waits ? lengthMs : 0;
    this.#levels.push({ free, waitingMs: this.#endLevels(free) + waitingMs });
    this.#waitingMs += waitingMs;
    if (waits) this.#waits.push({ free, lengthMs });
    if (free >= this.#slots.smallest) this.#idleMs += free * waitingMs;
  }

  /** Ends the stretches in which at least `free` slots were free; the time in which requests waited in them. */
  #endLevels(free: number): number {
    let waitingMs = 0;
    for (let top = this.#levels.at(-1); top !== undefined && top.free >= free; top = this.#levels.at(-1)) {
      waitingMs += top.waitingMs;
      this.#steadyMs = Math.max(this.#steadyMs, top.free * waitingMs);
      this.#levels.pop();
    }
    return waitingMs;
  }

  saturation(): Saturation {
    this.#endLevels(Number.NEGATIVE_INFINITY);
    const steadilyIdleMs = Math.max(this.#steadyMs, this.#nearlyAlwaysFree() * this.#waitingMs);
    return { idleWhileWaitingMs: this.#idleMs, waitingMs: this.#waitingMs, steadilyIdleMs };
  }

  /** So many slots were free in nearly all of the time in which requests waited: whole milliseconds make two requests overlap for one. */
  #nearlyAlwaysFree(): number {
    let left = Math.ceil(this.#waitingMs / UNSTEADY_PART);
    for (const { free, lengthMs } of this.#waits.sort((one, other) => one.free - other.free)) {
      left -= lengthMs;
      if (left <= 0) return Math.max(0, free);
    }
    return 0;
  }
}
