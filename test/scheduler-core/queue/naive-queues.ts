import type { Entry } from './entries.ts';

/** What every slow discipline does: one list in order of arrival, scanned for each decision. */
export interface NaiveQueue {
  push(entry: Entry): void;
  take(): Entry | null;
  /** It left without being served. */
  cancel(entry: Entry): void;
}

interface Tagged {
  readonly entry: Entry;
  readonly start: number;
  readonly finish: number;
}

/**
 * Self-clocked weighted fair queueing from its definition: all tags are reckoned anew, from the history of what arrived and was
 * served and the V at each arrival, whenever somebody is to be chosen.
 */
export class NaiveWeightedFair implements NaiveQueue {
  virtualTime = 0;
  history: { entry: Entry; virtualArrival: number }[] = [];
  waiting = new Set<Entry>();

  push(entry: Entry): void {
    this.history.push({ entry, virtualArrival: this.virtualTime });
    this.waiting.add(entry);
  }

  cancel(entry: Entry): void {
    this.waiting.delete(entry);
    this.history = this.history.filter((each) => each.entry !== entry);
  }

  tags(): Tagged[] {
    const lastFinish = new Map<string, number>();
    return this.history.map(({ entry, virtualArrival }) => {
      const start = Math.max(lastFinish.get(entry.flowKey) ?? 0, virtualArrival);
      const finish = start + entry.cost / entry.weight;
      lastFinish.set(entry.flowKey, finish);
      return { entry, start, finish };
    });
  }

  take(): Entry | null {
    const candidates = this.tags().filter(({ entry }) => this.waiting.has(entry));
    candidates.sort((left, right) => left.finish - right.finish || left.entry.sequence - right.entry.sequence);
    const chosen = candidates[0];
    if (chosen === undefined) return null;
    this.waiting.delete(chosen.entry);
    this.virtualTime = chosen.finish;
    return chosen.entry;
  }
}

/** WF²Q+ from its definition, in the same way. */
export class NaiveWorstCaseFair extends NaiveWeightedFair {
  override take(): Entry | null {
    const tags = this.tags();
    const waiting = tags.filter(({ entry }) => this.waiting.has(entry));
    if (waiting.length === 0) return null;
    this.virtualTime = Math.max(this.virtualTime, Math.min(...waiting.map(({ start }) => start)));
    const eligible = waiting.filter(({ start }) => start * (1 - 1e-12) <= this.virtualTime);
    eligible.sort((left, right) => left.finish - right.finish || left.entry.sequence - right.entry.sequence);
    const chosen = eligible[0];
    if (chosen === undefined) throw new Error('somebody is always eligible');
    // Flows in mind: those that wait, and those whose last finish tag V has not passed.
    const weights = new Map<string, number>();
    for (const { entry, finish } of tags) {
      if (this.waiting.has(entry) || finish > this.virtualTime) weights.set(entry.flowKey, entry.weight);
    }
    this.waiting.delete(chosen.entry);
    this.virtualTime += chosen.entry.cost / [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    return chosen.entry;
  }
}

/** The virtual token counter, algorithm 2 of the paper, with weights, by scanning. */
export class NaiveTokenCounter implements NaiveQueue {
  counters = new Map<string, number>();
  waiting: Entry[] = [];
  lastLeft: string | null = null;

  push(entry: Entry): void {
    const flows = new Set(this.waiting.map(({ flowKey }) => flowKey));
    if (!flows.has(entry.flowKey)) {
      const own = this.counters.get(entry.flowKey) ?? 0;
      const others = [...flows].map((flow) => this.counters.get(flow) ?? 0);
      const lift = others.length > 0 ? Math.min(...others) : (this.counters.get(this.lastLeft ?? '') ?? 0);
      this.counters.set(entry.flowKey, Math.max(own, lift));
    }
    this.waiting.push(entry);
  }

  cancel(entry: Entry): void {
    this.#remove(entry);
  }

  take(): Entry | null {
    const heads = new Map<string, Entry>();
    for (const entry of this.waiting) if (!heads.has(entry.flowKey)) heads.set(entry.flowKey, entry);
    const chosen = [...heads.values()].sort(
      (left, right) =>
        (this.counters.get(left.flowKey) ?? 0) - (this.counters.get(right.flowKey) ?? 0) ||
        left.sequence - right.sequence,
    )[0];
    if (chosen === undefined) return null;
    this.counters.set(chosen.flowKey, (this.counters.get(chosen.flowKey) ?? 0) + chosen.cost / chosen.weight);
    this.#remove(chosen);
    return chosen;
  }

  #remove(entry: Entry): void {
    this.waiting = this.waiting.filter((each) => each !== entry);
    if (!this.waiting.some(({ flowKey }) => flowKey === entry.flowKey)) this.lastLeft = entry.flowKey;
  }
}

/** Deficit round robin word for word: one visit after another, one grant each, nothing skipped. */
export class NaiveRoundRobin implements NaiveQueue {
  readonly quantum: number;
  active: { flow: string; waiting: Entry[]; deficit: number }[] = [];
  visited: { flow: string } | null = null;

  constructor(quantum: number) {
    this.quantum = quantum;
  }

  push(entry: Entry): void {
    let queue = this.active.find(({ flow }) => flow === entry.flowKey);
    if (queue === undefined) {
      queue = { flow: entry.flowKey, waiting: [], deficit: 0 };
      this.active = [...this.active, queue];
    }
    queue.waiting.push(entry);
  }

  cancel(entry: Entry): void {
    const queue = this.active.find(({ flow }) => flow === entry.flowKey);
    if (queue === undefined) return;
    queue.waiting = queue.waiting.filter((each) => each !== entry);
    if (queue.waiting.length === 0) {
      this.active = this.active.filter((each) => each !== queue);
      if (this.visited === queue) this.visited = null;
    }
  }

  take(): Entry | null {
    while (this.active.length > 0) {
      const [queue, ...others] = this.active;
      const head = queue?.waiting[0];
      if (queue === undefined || head === undefined) throw new Error('an active queue is not empty');
      if (this.visited !== queue) {
        this.visited = queue;
        queue.deficit += this.quantum * head.weight;
      }
      if (head.cost <= queue.deficit) {
        queue.waiting.shift();
        queue.deficit -= head.cost;
        if (queue.waiting.length === 0) {
          this.active = others;
          this.visited = null;
        }
        return head;
      }
      this.active = [...others, queue];
      this.visited = null;
    }
    return null;
  }
}
