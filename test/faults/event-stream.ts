/** One request in so many is refused as it is read, and one is taken for an event and refused by the store itself. */
const INVALID_EVERY = 50;
const POISON_EVERY = 5_003;
/** One request in so many is told in two events. */
const SPLIT_EVERY = 5;

export type Fate = 'stored' | 'invalid' | 'poison';

export function fateOf(index: number): Fate {
  if (index % INVALID_EVERY === 7) return 'invalid';
  return index % POISON_EVERY === 11 ? 'poison' : 'stored';
}

export function idOf(index: number): string {
  return `${fateOf(index) === 'poison' ? 'poison' : 'r'}-${index}`;
}

/** What the store has to hold of a request, as the statement of `reconcile` computes it from the id. */
export function costOf(index: number): number {
  return index % 97;
}

/** The messages that tell of a request: one or two, each of which may be delivered any number of times. */
export function messagesOf(index: number, arrivedAtMs: number): string[] {
  const identity = { request_id: idOf(index), pool: `p${index % 3}`, tenant: `t${index % 11}` };
  // Without its arrival it is no event.
  if (fateOf(index) === 'invalid') return [JSON.stringify(identity)];
  const arrived = { ...identity, arrived_at: arrivedAtMs };
  const ended = { dispatched_at: arrivedAtMs + 3, completed_at: arrivedAtMs + 20, cost: costOf(index), status: 'ok' };
  if (fateOf(index) === 'poison' || index % SPLIT_EVERY !== 0) return [JSON.stringify({ ...arrived, ...ended })];
  return [JSON.stringify({ ...arrived, outcome: 'admitted' }), JSON.stringify({ ...arrived, ...ended })];
}
