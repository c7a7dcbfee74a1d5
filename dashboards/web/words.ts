import type { TenantVerdict, WindowVerdict } from '../api-schema.ts';

/** How a state is shown: a word and a symbol, so that colour is never alone. `tone` picks the colour. */
export interface Badge {
  readonly word: string;
  readonly symbol: string;
  readonly tone: 'good' | 'bad' | 'over' | 'calm' | 'unknown';
}

export const WINDOW_BADGES: Readonly<Record<WindowVerdict | 'no_traffic' | 'not_computed', Badge>> = {
  fair: { word: 'fair', symbol: '✓', tone: 'good' },
  unfair: { word: 'unfair', symbol: '✗', tone: 'bad' },
  uncontended: { word: 'uncontended', symbol: '○', tone: 'calm' },
  unknown: { word: 'unknown', symbol: '?', tone: 'unknown' },
  no_traffic: { word: 'no traffic', symbol: '–', tone: 'calm' },
  not_computed: { word: 'not computed', symbol: '…', tone: 'unknown' },
};

export const TENANT_BADGES: Readonly<Record<TenantVerdict, Badge>> = {
  fair: { word: 'fair', symbol: '✓', tone: 'good' },
  short: { word: 'short', symbol: '▼', tone: 'bad' },
  over: { word: 'over', symbol: '▲', tone: 'over' },
  capped: { word: 'capped', symbol: '◆', tone: 'calm' },
  idle: { word: 'idle', symbol: '–', tone: 'calm' },
  unknown: { word: 'unknown', symbol: '?', tone: 'unknown' },
};

/** What the badges of tenants mean, for the legend under the table. */
export const TENANT_VERDICT_MEANINGS: Readonly<Record<TenantVerdict, string>> = {
  fair: 'got what it was due',
  short: 'got less than it was due',
  over: 'was served beyond its share',
  capped: 'was held back by its own quota',
  idle: 'asked for nothing',
  unknown: 'cannot be judged',
};

const REASONS: Readonly<Record<string, string>> = {
  no_tenants: 'the events name no tenants',
  no_waits: 'the events carry no queue waits',
  no_capacity: "the pool's capacity is not known",
  no_demand: 'no tenant had demand',
  no_samples: 'no request was dispatched',
  no_traffic: 'there was no traffic',
  conflicts: 'too many events contradict each other',
  coverage: 'gateways reported too little of their traffic',
  not_reported: 'no gateway reports it',
  not_declared: 'the slots of the pool are not declared',
  nothing_served: 'nothing was served',
  nothing_served_yet: 'nothing has been served yet',
  not_computed: 'it is not computed yet',
  counted_at_intake: 'the intake counts them',
  all_demand_met: 'all demand was met',
};

/** A reason code in words. A code that has none here is shown as it is: a reason is never hidden. */
export function reasonWords(code: string | undefined): string {
  if (code === undefined || code === '') return 'no reason is given';
  return REASONS[code] ?? code.replaceAll('_', ' ');
}

const CAUSES: Readonly<Record<string, string>> = {
  idle_slots: 'slots stood idle while requests waited',
  carried_over: 'what they are owed from earlier windows is not made up yet',
  lost_capacity: 'the pool had lost capacity',
};

/** A cause of an unfair window other than `over_served`, which names tenants. */
export function causeWords(cause: string): string {
  return CAUSES[cause] ?? cause.replaceAll('_', ' ');
}
