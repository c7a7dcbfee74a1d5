import type { GpsArrival } from '../../../scheduler-core/share/index.ts';

interface Packet {
  readonly index: number;
  left: number;
}

/**
 * Processor sharing by remaining work: from event to event, each backlogged flow's first packet is served its flow's part;
 * the next event is the first arrival or the first packet to be done. Slow, and without virtual time but to tell it.
 */
export function naiveProcessorSharing(
  arrivals: readonly GpsArrival[],
  { rate, weights }: { readonly rate: number; readonly weights: Readonly<Record<string, number>> },
): { finishTimes: number[]; rounds: { t: number; v: number }[] } {
  const coming = arrivals
    .map((arrival, index) => ({ ...arrival, index }))
    .sort((a, b) => a.t - b.t || a.index - b.index);
  const queues = new Map<string, Packet[]>();
  const finishTimes = arrivals.map(() => Number.NaN);
  const rounds: { t: number; v: number }[] = [];
  let [t, v] = [coming[0]?.t ?? 0, 0];
  for (;;) {
    for (const [flow, packets] of queues) {
      while (packets[0] !== undefined && packets[0].left <= 1e-12) finishTimes[packets.shift()?.index ?? 0] = t;
      if (packets.length === 0) queues.delete(flow);
    }
    const total = [...queues.keys()].reduce((sum, flow) => sum + (weights[flow] ?? 1), 0);
    const untilDone = [...queues].map(
      ([flow, packets]) => ((packets[0]?.left ?? 0) * total) / (rate * (weights[flow] ?? 1)),
    );
    const nextT = Math.min(
      coming[0]?.t ?? Number.POSITIVE_INFINITY,
      t + Math.min(Number.POSITIVE_INFINITY, ...untilDone),
    );
    if (nextT === Number.POSITIVE_INFINITY) return { finishTimes, rounds };
    for (const [flow, packets] of queues) {
      const first = packets[0];
      if (first !== undefined) first.left -= ((nextT - t) * rate * (weights[flow] ?? 1)) / total;
    }
    if (total > 0) v += ((nextT - t) * rate) / total;
    t = nextT;
    rounds.push({ t, v });
    while (coming[0] !== undefined && coming[0].t <= t) {
      const next = coming.shift();
      if (next === undefined) break;
      const queue = queues.get(next.flow) ?? [];
      queue.push({ index: next.index, left: next.size });
      queues.set(next.flow, queue);
    }
  }
}
