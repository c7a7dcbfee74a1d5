import { MINUTE_MS } from '../../scheduler-core/kernel/index.ts';
import type { EmitterTrouble } from './emitter-options.ts';

type Kind = EmitterTrouble['kind'];

/** The same trouble is told again after so long. */
const AGAIN_MS = MINUTE_MS;

/** Tells the caller of troubles, each once in a while: an outage of an hour must not fill its log. */
export class TroubleTeller {
  readonly #nowMs: () => number;
  readonly #onTrouble: ((trouble: EmitterTrouble) => void) | undefined;
  readonly #toldAtMs = new Map<Kind, number>();
  #isFailing = false;

  constructor(nowMs: () => number, onTrouble: ((trouble: EmitterTrouble) => void) | undefined) {
    this.#nowMs = nowMs;
    this.#onTrouble = onTrouble;
  }

  tell(kind: Exclude<Kind, 'recovered'>, message: string): void {
    if (kind !== 'rejected') this.#isFailing = true;
    const nowMs = this.#nowMs();
    const toldAtMs = this.#toldAtMs.get(kind);
    if (toldAtMs !== undefined && Math.abs(nowMs - toldAtMs) < AGAIN_MS) return;
    this.#toldAtMs.set(kind, nowMs);
    this.#say({ kind, message });
  }

  /** Events arrive. */
  over(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#say({ kind: 'recovered', message: 'events are delivered again' });
  }

  #say(trouble: EmitterTrouble): void {
    try {
      this.#onTrouble?.(trouble);
    } catch {
      // The caller's own mistake must not cost it events.
    }
  }
}
