import { Counter, Gauge, type Registry } from 'prom-client';
import { EvenshareError, MINUTE_MS } from '../../scheduler-core/kernel/index.ts';

/** Without a run that succeeded for so long, a leader is not ready. */
const JOB_STALL_MS = 2 * MINUTE_MS;

/** What the minute job did last, for readiness and metrics. Figures of a process that stands by have no samples. */
export class JobState {
  /** When the silence began that is counted: the last success, or the beginning of the term. */
  #sinceMs: number;
  #isLeading = true;
  #hasSucceeded = false;
  #lastError: string | null = null;
  readonly #watermark: Gauge;
  readonly #duration: Gauge;
  readonly #lastSuccess: Gauge;
  readonly #runs: Counter;
  readonly #failures: Counter;
  readonly #overlaps: Counter;

  constructor(registry: Registry, startedMs: number) {
    this.#sinceMs = startedMs;
    const registers = [registry];
    this.#watermark = new Gauge({
      name: 'evenshare_job_watermark_seconds',
      help: 'Epoch seconds up to which every pool is expected to be complete.',
      registers,
    });
    this.#duration = new Gauge({
      name: 'evenshare_job_duration_seconds',
      help: 'How long the last run of the minute job took that succeeded.',
      registers,
    });
    this.#lastSuccess = new Gauge({
      name: 'evenshare_job_last_success_seconds',
      help: 'When the last run of the minute job ended that succeeded, epoch seconds.',
      registers,
    });
    this.#runs = new Counter({
      name: 'evenshare_job_runs_total',
      help: 'Runs of the minute job that ended, well or badly.',
      registers,
    });
    this.#failures = new Counter({
      name: 'evenshare_job_failures_total',
      help: 'Runs of the minute job and of the alerts behind it that failed, by the code of the failure.',
      labelNames: ['code'],
      registers,
    });
    this.#overlaps = new Counter({
      name: 'evenshare_job_overlaps_total',
      help: 'Moments for a run of the minute job that were passed over, because one was under way.',
      registers,
    });
    this.#forget();
  }

  /** This process leads, as far as is known now. */
  leads(nowMs: number): void {
    if (this.#isLeading) return;
    this.#isLeading = true;
    this.#hasSucceeded = false;
    this.#lastError = null;
    this.#sinceMs = nowMs;
  }

  standsBy(): void {
    if (!this.#isLeading) return;
    this.#isLeading = false;
    this.#forget();
  }

  succeeded(startedMs: number, nowMs: number, watermarkMs: number | null): void {
    this.#sinceMs = nowMs;
    this.#hasSucceeded = true;
    this.#lastError = null;
    this.#runs.inc();
    this.#duration.set((nowMs - startedMs) / 1000);
    this.#lastSuccess.set(nowMs / 1000);
    if (watermarkMs !== null) this.#watermark.set(watermarkMs / 1000);
  }

  failed(error: unknown): void {
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#runs.inc();
    this.#failures.inc({ code: codeOf(error) });
  }

  overlapped(): void {
    this.#overlaps.inc();
  }

  notReady(nowMs: number): string[] {
    if (!this.#isLeading) return [];
    const why = this.#lastError === null ? '' : `: ${this.#lastError}`;
    if (!this.#hasSucceeded && this.#lastError !== null) return [`the minute job has not succeeded yet${why}`];
    const stalledMs = nowMs - this.#sinceMs;
    if (stalledMs < JOB_STALL_MS) return [];
    return [`the minute job has not succeeded for ${Math.round(stalledMs / 1000)} s${why}`];
  }

  /** A 0 would be a lie. */
  #forget(): void {
    for (const gauge of [this.#watermark, this.#duration, this.#lastSuccess]) gauge.remove();
  }
}

/** The codes are few and known; what has none is a fault of the program. */
function codeOf(error: unknown): string {
  return error instanceof EvenshareError ? error.code : 'none';
}
