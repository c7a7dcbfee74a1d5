import type { SchedulerSnapshot } from '../scheduler/scheduler.ts';
import type { EndedRequest } from './ended-request.ts';
import type { EventLoop } from './event-loop.ts';
import type { ClassWeights, ControllerResult, Episode } from './simulation-result.ts';

interface OpenEpisode {
  readonly what: string;
  readonly fromMs: number;
}

interface WeightTrack {
  readonly first: number;
  last: number;
  least: number;
  most: number;
  turns: number;
  direction: number;
}

/** After the last bound so many looks at most: what never drains must not be looked at for ever. */
const DRAIN_LOOKS = 100_000;

/** Looks at a scheduler at regular times, and tells what its controllers did. Of several workers: at the first. */
export class ControllerWatch {
  readonly #everyMs: number;
  readonly #weights = new Map<string, WeightTrack>();
  readonly #levels: Episode[] = [];
  #openLevel: OpenEpisode | null = null;
  #nextMs: number | null = null;
  #load = { max: 0, last: 0 };
  #refill = { min: 1, max: 1, last: 1 };

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Moves the loop on to `toMs` in steps and looks after each; to Infinity: until it is drained. */
  lookUntil(loop: EventLoop, toMs: number, onEnded: (ended: EndedRequest) => void): void {
    this.#nextMs ??= loop.nowMs;
    const looksLeft = toMs === Number.POSITIVE_INFINITY ? DRAIN_LOOKS : Number.POSITIVE_INFINITY;
    for (let look = 0; this.#nextMs <= toMs && look < looksLeft; look++) {
      if (toMs === Number.POSITIVE_INFINITY && loop.isDrained()) return;
      loop.run(this.#nextMs, onEnded);
      this.#look(loop.snapshot());
      this.#nextMs += this.#everyMs;
    }
  }

  result(): ControllerResult {
    const openLevel = this.#openLevel === null ? [] : [episode(this.#openLevel, null)];
    return {
      sampled_every_ms: this.#everyMs,
      class_weights: [...this.#weights].map(
        ([name, { first, last, least, most, turns }]): ClassWeights => ({
          class: name,
          first,
          last,
          least,
          most,
          turns,
        }),
      ),
      levels: [...this.#levels, ...openLevel],
      load_ratio: this.#load,
      refill_factor: this.#refill,
    };
  }

  #look(snapshot: SchedulerSnapshot): void {
    this.#load = { max: Math.max(this.#load.max, snapshot.loadRatio), last: snapshot.loadRatio };
    const { refillFactor } = snapshot;
    this.#refill = {
      min: Math.min(this.#refill.min, refillFactor),
      max: Math.max(this.#refill.max, refillFactor),
      last: refillFactor,
    };
    for (const each of snapshot.classes) this.#trackWeight(each.class, each.weight);
    this.#trackLevel(snapshot);
  }

  #trackWeight(name: string, weight: number): void {
    const track = this.#weights.get(name);
    if (track === undefined) {
      this.#weights.set(name, { first: weight, last: weight, least: weight, most: weight, turns: 0, direction: 0 });
      return;
    }
    const direction = Math.sign(weight - track.last);
    if (direction !== 0 && track.direction !== 0 && direction !== track.direction) track.turns++;
    if (direction !== 0) track.direction = direction;
    track.last = weight;
    track.least = Math.min(track.least, weight);
    track.most = Math.max(track.most, weight);
  }

  #trackLevel({ level, nowMs }: SchedulerSnapshot): void {
    if (level === (this.#openLevel?.what ?? null)) return;
    if (this.#openLevel !== null) this.#levels.push(episode(this.#openLevel, nowMs));
    this.#openLevel = level === null ? null : { what: level, fromMs: nowMs };
  }
}

function episode({ what, fromMs }: OpenEpisode, toMs: number | null): Episode {
  return { what, from_ms: fromMs, to_ms: toMs };
}
