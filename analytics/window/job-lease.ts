import { EvenshareError } from '../../scheduler-core/index.ts';
import { JOB_CLAIMS, type JobClaim } from '../queries/job-leases.ts';
import { type Store, tsvRow } from '../storage/index.ts';
import { decideLeader, LEAD_MS, LEASE_MS, observeClaims, type SeenClaim } from './decide-leader.ts';

const RENEW_EVERY_MS = 3_000;
/** Without a renewal for so long, the process takes no part. */
const SILENT_MS = 3 * LEASE_MS;

/** Where claims are kept. */
export interface ClaimStore {
  read(): Promise<readonly JobClaim[]>;
  /** Stored when it resolves. */
  write(claim: JobClaim, options: { readonly isReleased: boolean }): Promise<void>;
}

export interface JobLeaseOptions {
  /** A name that no other process has or will have. */
  readonly holder: string;
  readonly clock: { nowMs(): number; sleep(durationMs: number, signal?: AbortSignal): Promise<void> };
  /** Told of the first failure of several, and of its end. */
  readonly onTrouble: (failure: Error | null) => void;
}

export interface JobLease {
  /** Ask before each piece of work; it may change at any moment. */
  isLeader(): boolean;
  /** Why this process takes no part in choosing a leader; empty for the leader and for those that stand by. */
  notReady(nowMs: number): string[];
  /** Gives the claim back. Never rejects. */
  stop(): Promise<void>;
}

/** The claims of a store; not in the lane of the jobs, whose statements may be long. */
export function claimsOf(store: Store): ClaimStore {
  return {
    read: () => store.query('reads', JOB_CLAIMS, {}),
    write: ({ holder, term, renewal }, { isReleased }) =>
      store.insert(
        'reads',
        'job_leases',
        ['holder', 'term', 'renewal', 'is_released'],
        tsvRow([holder, term, renewal, isReleased ? 1 : 0]),
      ),
  };
}

/**
 * Chooses one leader among the processes that share a store, which has no compare-and-set: each keeps a claim alive, and
 * the first of those that live leads. Two never lead at once while clocks run equally fast and a row that was stored is
 * read by everybody:
 *
 * - a claim leads only `LEASE_MS` after it was stored, so that whoever leads meanwhile has read it;
 * - it leads for `LEAD_MS` after the last renewal and the last reading were sent, and others take it for dead `LEASE_MS` after
 *   they saw its last renewal, which is later;
 * - one that was silent for longer does not go on: it claims anew, behind the others.
 */
export function startJobLease(claims: ClaimStore, options: JobLeaseOptions): JobLease {
  return new RunningLease(claims, options).start();
}

class RunningLease implements JobLease {
  readonly #claims: ClaimStore;
  readonly #options: JobLeaseOptions;
  readonly #stopAsked = new AbortController();
  #done: Promise<void> = Promise.resolve();
  #seen: readonly SeenClaim[] = [];
  #claim: JobClaim;
  /** When the claim was first stored under its term; null while it has none that goes on. */
  #settledMs: number | null = null;
  /** When the renewal was sent that was stored last. */
  #renewedMs: number;
  /** When the reading was sent by which this process leads; null while it does not. */
  #leadsFromMs: number | null = null;
  #hasTrouble = false;
  #lastError: string | null = null;

  constructor(claims: ClaimStore, options: JobLeaseOptions) {
    this.#claims = claims;
    this.#options = options;
    this.#claim = { holder: options.holder, term: 0, renewal: 0 };
    this.#renewedMs = options.clock.nowMs();
  }

  start(): this {
    this.#done = this.#run();
    return this;
  }

  isLeader(): boolean {
    return this.#leadsFromMs !== null && isWithin(this.#options.clock.nowMs(), this.#leadsFromMs, LEAD_MS);
  }

  notReady(nowMs: number): string[] {
    const silentMs = nowMs - this.#renewedMs;
    if (silentMs < SILENT_MS) return [];
    const why = this.#lastError === null ? '' : `: ${this.#lastError}`;
    return [`the claim to run jobs has not been renewed for ${Math.round(silentMs / 1000)} s${why}`];
  }

  async stop(): Promise<void> {
    this.#stopAsked.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopAsked;
    while (!signal.aborted) {
      await this.#tryTurn();
      await this.#options.clock.sleep(RENEW_EVERY_MS, signal);
    }
    this.#leadsFromMs = null;
    const { holder, term, renewal } = this.#claim;
    await this.#claims.write({ holder, term, renewal: renewal + 1 }, { isReleased: true }).catch(() => undefined);
  }

  async #tryTurn(): Promise<void> {
    try {
      await this.#turn();
      if (this.#hasTrouble) this.#options.onTrouble(null);
      this.#hasTrouble = false;
      this.#lastError = null;
    } catch (error) {
      const failure = error instanceof Error ? error : new EvenshareError('EVS_INVARIANT', String(error));
      if (!this.#hasTrouble) this.#options.onTrouble(failure);
      this.#hasTrouble = true;
      this.#lastError = failure.message;
    }
  }

  /** Reads the claims, renews one's own, and decides: in this order. */
  async #turn(): Promise<void> {
    const { clock, holder } = this.#options;
    const readMs = clock.nowMs();
    const rows = await this.#claims.read();
    this.#seen = observeClaims(this.#seen, rows, clock.nowMs());
    const sentMs = clock.nowMs();
    if (!this.#goesOn(sentMs)) this.#claimAnew(rows);
    this.#claim = { ...this.#claim, renewal: this.#claim.renewal + 1 };
    await this.#claims.write(this.#claim, { isReleased: false });
    const storedMs = clock.nowMs();
    // Renewed too late: others may have seen it dead meanwhile.
    if (this.#settledMs !== null && !this.#goesOn(storedMs)) this.#settledMs = null;
    else this.#settledMs ??= storedMs;
    this.#renewedMs = sentMs;
    const others = this.#seen.filter((claim) => claim.holder !== holder);
    const mine: SeenClaim = { ...this.#claim, firstSeenMs: readMs };
    const isSettled = this.#settledMs !== null && readMs - this.#settledMs >= LEASE_MS;
    this.#leadsFromMs = isSettled && decideLeader([...others, mine], readMs) === holder ? readMs : null;
  }

  /** Nobody can have seen the claim dead: every renewal was stored before the one before it had run out. */
  #goesOn(nowMs: number): boolean {
    return this.#settledMs !== null && isWithin(nowMs, this.#renewedMs, LEAD_MS);
  }

  #claimAnew(rows: readonly JobClaim[]): void {
    this.#settledMs = null;
    this.#leadsFromMs = null;
    this.#claim = { ...this.#claim, term: Math.max(0, this.#claim.term, ...rows.map(({ term }) => term)) + 1 };
  }
}

/** False too when the clock was set back: then nobody knows how long it was. */
function isWithin(nowMs: number, sinceMs: number, durationMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < durationMs;
}
