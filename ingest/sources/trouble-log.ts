import type { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { SourceLog } from './message-source.ts';

/** Says once that something does not work and is tried again, and once that it works again. */
export class TroubleLog {
  readonly #log: SourceLog;
  readonly #what: string;
  #code: string | null = null;

  /** `what` begins the sentence: "storing events". */
  constructor(log: SourceLog, what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** The last attempt failed. */
  get isFailing(): boolean {
    return this.#code !== null;
  }

  failed(error: EvenshareError): void {
    if (this.#code === error.code) return;
    this.#code = error.code;
    this.#log.warn({ code: error.code }, `${this.#what} fails and is tried again: ${error.message}`);
  }

  worked(): void {
    if (this.#code === null) return;
    this.#code = null;
    this.#log.info({}, `${this.#what} works again`);
  }
}
