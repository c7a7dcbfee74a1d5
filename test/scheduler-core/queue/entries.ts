import { type QueueDiscipline, type Seat, Waiting } from '../../../scheduler-core/queue/index.ts';

/** A waiting request that tests can name. */
export class Entry extends Waiting<Entry> {
  readonly id: string;

  /** The name of its flow. */
  get flowKey(): string {
    return this.seat.key;
  }

  constructor(
    sequence: number,
    facts: { flow: Seat; cost: number; weight?: number; slots?: number; class?: string; id?: string },
  ) {
    super(facts.flow);
    this.cost = facts.cost;
    this.weight = facts.weight ?? 1;
    this.slots = facts.slots ?? 1;
    this.className = facts.class ?? null;
    this.sequence = sequence;
    this.id = facts.id ?? `${facts.flow.key}${sequence}`;
  }
}

type Facts = Omit<ConstructorParameters<typeof Entry>[1], 'flow'> & { readonly flow: string };

/** Makes the entries of one queue in order of arrival. */
export function entries(): ((facts: Facts) => Entry) & { seat(flow: string): Seat } {
  let sequence = 0;
  const seats = new Map<string, Seat>();
  const seat = (flow: string): Seat => {
    const known = seats.get(flow) ?? { key: flow, flow: null };
    seats.set(flow, known);
    return known;
  };
  return Object.assign((facts: Facts) => new Entry(sequence++, { ...facts, flow: seat(facts.flow) }), { seat });
}

/** Takes until nobody may go. */
export function drain(queue: QueueDiscipline<Entry>, freeSlots = Number.POSITIVE_INFINITY): Entry[] {
  const taken: Entry[] = [];
  for (let next = queue.take(freeSlots); next !== null; next = queue.take(freeSlots)) taken.push(next);
  return taken;
}
