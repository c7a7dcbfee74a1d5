import { EvenshareError, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import { backoffMs } from './backoff.ts';
import { joinLeaderGroup, type LeaderMembership, type LeadershipOptions } from './leader-membership.ts';
import { LeaderSession } from './leader-session.ts';
import { TroubleLog } from './trouble-log.ts';

/** Whether this process is the one of several that is to do what only one should. */
export interface JobLeadership {
  /** Ask before each piece of work; it may change at any moment. */
  isLeader(): boolean;
  /** Why this process takes no part in choosing a leader; empty for the leader and for those that stand by. */
  notReady(nowMs: number): string[];
  /** Makes way for another at once. Never rejects. */
  stop(): Promise<void>;
}

const MAX_REJOIN_WAIT_MS = 2 * SECOND_MS;
const CLOSE_LIMIT_MS = 5 * SECOND_MS;
/** Without an answer of the brokers for so many sessions, the process takes no part. */
const SILENT_SESSIONS = 3;

/**
 * Chooses one leader among the processes that name the same group: the member that has the topic's first partition.
 * Brokers that are away are waited for; meanwhile nobody leads.
 *
 * A process stops calling itself leader before the brokers can give the partition to another, by its own clock, and also
 * when it was frozen meanwhile. Should clocks run apart or jump, two may lead for a moment.
 *
 * @throws EVS_KAFKA_TOPIC, EVS_KAFKA_AUTH at the start; later both are tried again.
 */
export async function startLeadership(options: LeadershipOptions): Promise<JobLeadership> {
  const leadership = new GroupLeadership(options);
  return leadership.start(await leadership.join());
}

class GroupLeadership implements JobLeadership {
  readonly #options: LeadershipOptions;
  readonly #session: LeaderSession;
  readonly #trouble: TroubleLog;
  readonly #stopAsked = new AbortController();
  #done: Promise<void> = Promise.resolve();
  #lastError: EvenshareError | null = null;
  #lastRenewedMs: number;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.#session = new LeaderSession(options.sessionTimeoutMs);
    this.#trouble = new TroubleLog(options.log, `taking part in group ${JSON.stringify(options.groupId)}`);
    this.#lastRenewedMs = options.clock.nowMs();
  }

  /** Null when the brokers are away. Throws what trying again would not mend. */
  async join(): Promise<LeaderMembership | null> {
    try {
      const membership = await joinLeaderGroup(this.#options, this.#session);
      this.#trouble.worked();
      this.#lastError = null;
      return membership;
    } catch (error) {
      if (!(error instanceof EvenshareError) || !error.retryable) throw error;
      this.#noteFailure(error);
      return null;
    }
  }

  start(first: LeaderMembership | null): this {
    this.#done = this.#run(first).catch((error: unknown) =>
      this.#options.log.error({}, `choosing a leader has ended: ${String(error)}`),
    );
    return this;
  }

  isLeader(): boolean {
    return this.#session.isLeading(this.#options.clock.nowMs());
  }

  notReady(nowMs: number): string[] {
    this.#lastRenewedMs = Math.max(this.#lastRenewedMs, this.#session.renewedMs ?? this.#lastRenewedMs);
    const silentMs = nowMs - this.#lastRenewedMs;
    if (silentMs < SILENT_SESSIONS * this.#options.sessionTimeoutMs) return [];
    const why = this.#lastError === null ? '' : `: ${this.#lastError.message}`;
    const group = JSON.stringify(this.#options.groupId);
    return [
      `not in Kafka group ${group}, whose members choose a leader, for ${Math.round(silentMs / SECOND_MS)} s${why}`,
    ];
  }

  async stop(): Promise<void> {
    this.#stopAsked.abort();
    await this.#done;
  }

  /** One membership after another until it is told to stop. */
  async #run(first: LeaderMembership | null): Promise<void> {
    const { signal } = this.#stopAsked;
    const { clock, sessionTimeoutMs } = this.#options;
    let membership = first;
    for (let attempt = 0; ; attempt++) {
      if (membership !== null) {
        const joinedMs = clock.nowMs();
        const failure = await this.#live(membership);
        if (failure === null) return;
        this.#noteFailure(failure);
        // One that ends as soon as it begins must not be begun again at once, time after time.
        if (clock.nowMs() - joinedMs > sessionTimeoutMs) attempt = 0;
      }
      await clock.sleep(backoffMs(attempt, MAX_REJOIN_WAIT_MS), signal);
      if (signal.aborted) return;
      membership = await this.#rejoin();
    }
  }

  /** What was refused may be granted again: whoever ran for weeks does not end over it. */
  async #rejoin(): Promise<LeaderMembership | null> {
    try {
      return await this.join();
    } catch (error) {
      if (!(error instanceof EvenshareError)) throw error;
      this.#noteFailure(error);
      return null;
    }
  }

  /** Until the membership ends: null when that was asked for. */
  async #live(membership: LeaderMembership): Promise<EvenshareError | null> {
    try {
      await Promise.race([aborted(this.#stopAsked.signal), membership.failed]);
      return null;
    } catch (error) {
      if (error instanceof EvenshareError) return error;
      throw error;
    } finally {
      const limit = new AbortController();
      await Promise.race([membership.close(), this.#options.clock.sleep(CLOSE_LIMIT_MS, limit.signal)]);
      limit.abort();
    }
  }

  #noteFailure(error: EvenshareError): void {
    this.#lastRenewedMs = Math.max(this.#lastRenewedMs, this.#session.renewedMs ?? this.#lastRenewedMs);
    this.#lastError = error;
    this.#trouble.failed(error);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
