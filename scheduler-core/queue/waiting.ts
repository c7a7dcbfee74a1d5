/**
 * Whose turn a request takes: its tenant, class or shard, as the discipline queues. Requests that share a seat share a turn.
 * The owner keeps one seat per flow and gives it to each entry: to look it up by name twice would cost more than the queue.
 */
export interface Seat {
  readonly key: string;
  /** The queue's own, and opaque to others: null while it has nothing of the flow in mind. */
  flow: object | null;
}

/**
 * A request that waits, and its place in its queue. Owners extend it with what they need to know themselves, and set what
 * queues need to know before they push it; the rest is the queue's. Objects of it may be used again once they have left:
 * to make them anew for every request costs as much as all else.
 */
export abstract class Waiting<W extends Waiting<W>> {
  seat: Seat;
  /** Of the flow when the request arrived; finite, > 0. A weight that changes holds for later arrivals. */
  weight = 1;
  /** In the policy's cost unit; finite, ≥ 0. */
  cost = 0;
  /** Slots that it needs; > 0. */
  slots = 1;
  /** Classes can be paused. */
  className: string | null = null;
  /** Order of arrival, unique: decides ties. */
  sequence = 0;
  /** V when it arrived; disciplines with a virtual time only. */
  virtualArrival = 0;
  /** Where it stands in its flow; null: in none. */
  lane: object | null = null;
  previous: W | null = null;
  next: W | null = null;

  constructor(seat: Seat) {
    this.seat = seat;
  }
}
