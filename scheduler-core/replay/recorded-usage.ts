import type { Span } from '../simulate/rate-profile.ts';
import type { RequestFate } from '../simulate/request-fate.ts';

/** How a record used its slots in a span. */
export interface RecordedUsage {
  readonly utilizationRatio: number;
  /** Slot-time idle while a waiting request would have fitted ÷ available. */
  readonly idleWhileWaitingRatio: number;
  /** The most slots in service at once. */
  readonly mostBusySlots: number;
}

interface Edge {
  readonly atMs: number;
  readonly busySlots: number;
  /** Slots of a request that begins (+) or ends (−) to wait; 0: none. */
  readonly waits: number;
}

/**
 * Slot-time of a record: a sweep over the moments at which a request begins or ends to wait or to be served. What is open
 * at the end of the record lasts until then.
 */
export function recordedUsage(
  fates: readonly RequestFate[],
  { slots, span, endMs }: { readonly slots: number; readonly span: Span; readonly endMs: number },
): RecordedUsage {
  const edges = fates.flatMap((fate) => edgesOf(fate, endMs)).sort((left, right) => left.atMs - right.atMs);
  const waitingBySlots = new Map<number, number>();
  let busySlots = 0;
  let mostBusySlots = 0;
  let atMs = span.fromMs;
  let busySlotMs = 0;
  let idleSlotMs = 0;
  const moveTo = (toMs: number): void => {
    const untilMs = Math.min(Math.max(toMs, span.fromMs), span.toMs);
    const lengthMs = untilMs - atMs;
    if (lengthMs <= 0) return;
    busySlotMs += busySlots * lengthMs;
    const freeSlots = slots - busySlots;
    if (freeSlots > 0 && fits(waitingBySlots, freeSlots)) idleSlotMs += freeSlots * lengthMs;
    mostBusySlots = Math.max(mostBusySlots, busySlots);
    atMs = untilMs;
  };
  for (const edge of edges) {
    moveTo(edge.atMs);
    busySlots += edge.busySlots;
    if (edge.waits === 0) continue;
    const width = Math.abs(edge.waits);
    waitingBySlots.set(width, (waitingBySlots.get(width) ?? 0) + Math.sign(edge.waits));
  }
  moveTo(span.toMs);
  const available = Math.max(slots * (span.toMs - span.fromMs), busySlotMs);
  return { utilizationRatio: busySlotMs / available, idleWhileWaitingRatio: idleSlotMs / available, mostBusySlots };
}

function fits(waitingBySlots: ReadonlyMap<number, number>, freeSlots: number): boolean {
  for (const [slots, count] of waitingBySlots) if (count > 0 && slots <= freeSlots) return true;
  return false;
}

function edgesOf(fate: RequestFate, endMs: number): Edge[] {
  const { arrivedAtMs, dispatchedAtMs, endedAtMs, slots } = fate;
  const edges: Edge[] = [];
  const waitsUntilMs = dispatchedAtMs ?? endedAtMs ?? endMs;
  if (waitsUntilMs > arrivedAtMs) {
    edges.push({ atMs: arrivedAtMs, busySlots: 0, waits: slots }, { atMs: waitsUntilMs, busySlots: 0, waits: -slots });
  }
  if (dispatchedAtMs !== null) {
    const untilMs = Math.max(dispatchedAtMs, endedAtMs ?? endMs);
    edges.push({ atMs: dispatchedAtMs, busySlots: slots, waits: 0 }, { atMs: untilMs, busySlots: -slots, waits: 0 });
  }
  return edges;
}
