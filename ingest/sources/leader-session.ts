/** Of the session that is left unused, so that clocks that run a little apart do no harm. */
const MARGIN_SHARE = 1 / 4;

/**
 * What a member of a group knows of its session. The brokers count it from when they last heard of the member, which is
 * not before that message was sent: so it is counted here from the sending, and ends sooner than theirs. An answer that
 * lay unread while the process was frozen renews nothing.
 */
export class LeaderSession {
  readonly #validMs: number;
  #isAssigned = false;
  /** When the last message that brokers have answered well was sent, epoch ms; null without a session. */
  #renewedMs: number | null = null;

  constructor(sessionTimeoutMs: number) {
    this.#validMs = sessionTimeoutMs * (1 - MARGIN_SHARE);
  }

  /** When the session was last renewed, epoch ms; null without one. */
  get renewedMs(): number | null {
    return this.#renewedMs;
  }

  /** The group has been divided: from now on this member leads, or does not. */
  joined(isAssigned: boolean, sentMs: number): void {
    this.#isAssigned = isAssigned;
    this.#renewedMs = sentMs;
  }

  /** The brokers have answered a heartbeat that was sent then. */
  renewed(sentMs: number): void {
    if (this.#renewedMs !== null) this.#renewedMs = sentMs;
  }

  /** The membership has ended. */
  ended(): void {
    this.#isAssigned = false;
    this.#renewedMs = null;
  }

  /** A clock that was set back tells nothing of how long ago that was: not before the next heartbeat. */
  isLeading(nowMs: number): boolean {
    if (!this.#isAssigned || this.#renewedMs === null) return false;
    const silentMs = nowMs - this.#renewedMs;
    return silentMs >= 0 && silentMs < this.#validMs;
  }
}
