import { defineQuery, type Parameters, type Store } from '../../analytics/storage/index.ts';
import { type DecisionEvent, OUTCOMES, PROVENANCES, REJECT_REASONS, STATUSES } from '../event/decision-event.ts';
import { REQUEST_COLUMNS } from '../event/event-row.ts';

/** Minutes, among those given, for which requests are stored. */
const STORED_MINUTES = defineQuery<
  Parameters & { readonly pools: readonly string[]; readonly minutes: readonly number[] },
  string
>({
  name: 'stored-minutes',
  sql: `SELECT pool, toInt64(toUnixTimestamp(minute)) AS minute_s
FROM requests
WHERE pool IN {pools:Array(String)} AND minute IN (SELECT toDateTime(arrayJoin({minutes:Array(Int64)}), 'UTC'))
GROUP BY pool, minute`,
  decode: (row) => minuteKey(String(row.pool), Number(row.minute_s)),
});

type IdParams = Parameters & {
  readonly pools: readonly string[];
  readonly minutes: readonly number[];
  /** Ids, one a line: they hold no control characters, and the engine splits a text faster than it reads an array. */
  readonly request_ids: string;
};

const WITH_ONE_OF_THE_IDS = `pool IN {pools:Array(String)}
    AND minute IN (SELECT toDateTime(arrayJoin({minutes:Array(Int64)}), 'UTC'))
    AND request_id IN (SELECT arrayJoin(splitByChar('\\n', {request_ids:String})))`;

/** Which of some ids are stored within some minutes. */
const STORED_IDS = defineQuery<IdParams, string>({
  name: 'stored-ids',
  sql: `SELECT DISTINCT request_id
FROM requests
WHERE ${WITH_ONE_OF_THE_IDS}`,
  decode: (row) => String(row.request_id),
});

/** Stored requests by id within some minutes. Not merged by the engine: the caller merges what it gets. */
const EXISTING_REQUESTS = defineQuery<IdParams, DecisionEvent>({
  name: 'existing-requests',
  sql: `SELECT ${REQUEST_COLUMNS.filter((column) => column !== 'stored_at_ms').join(', ')}
FROM requests
WHERE ${WITH_ONE_OF_THE_IDS}`,
  decode: decodeRequest,
});

/** Requests per read: what is decoded at once holds up everything else. */
const REQUESTS_PER_READ = 2_000;

/** How many minutes are remembered: more than are under way in any log that is near its time's order. */
const REMEMBERED_MINUTES = 10_000;

/** Minutes that a writer knows to hold requests, so that the store is asked for each once. */
export class StoredMinutes {
  readonly #keys = new Set<string>();

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(keys: Iterable<string>): void {
    for (const key of keys) this.#keys.add(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= REMEMBERED_MINUTES) break;
      this.#keys.delete(oldest);
    }
  }
}

/**
 * What the store holds of the requests of a batch: rows with the id of one of the events, in the minutes in which the
 * events arrive. A cheap look at the key finds which minutes can hold any, another one which ids are there: of most
 * batches none is.
 *
 * @param known What earlier batches of the same writer found or are about to store; those of this one are added.
 */
export async function existingRequests(
  store: Store,
  events: readonly DecisionEvent[],
  known: StoredMinutes = new StoredMinutes(),
): Promise<DecisionEvent[]> {
  if (store.kind === 'embedded') return existingOf(store, events, known);
  const requests: DecisionEvent[] = [];
  for (const some of inParameters(events)) requests.push(...(await existingOf(store, some, known)));
  return requests;
}

/** A server takes at most 128 KiB in one parameter (`http_max_field_value_size`), as it is written on the wire. */
const PARAMETER_BYTES = 120_000;

function* inParameters(events: readonly DecisionEvent[]): Generator<readonly DecisionEvent[]> {
  let from = 0;
  let bytes = 0;
  for (const [index, { requestId, pool }] of events.entries()) {
    // Ids, pools and minutes each go into a parameter of their own.
    const weight = Math.max(wireBytes(requestId), wireBytes(pool), 12) + 4;
    if (bytes + weight > PARAMETER_BYTES) {
      yield events.slice(from, index);
      from = index;
      bytes = 0;
    }
    bytes += weight;
  }
  yield events.slice(from);
}

function wireBytes(name: string): number {
  return Buffer.byteLength(name) + (name.match(/['\\]/g)?.length ?? 0);
}

async function existingOf(
  store: Store,
  events: readonly DecisionEvent[],
  known: StoredMinutes,
): Promise<DecisionEvent[]> {
  const groups = groupByMinute(events);
  const stored = await storedGroups(store, groups, known);
  known.add(groups.keys());
  if (stored.length === 0) return [];
  const within = {
    pools: [...new Set(stored.map((group) => group.pool))],
    minutes: [...new Set(stored.map((group) => group.minuteS))],
  };
  const ids = stored.map((group) => group.requestIds.join('\n')).join('\n');
  const found = await store.query('intake', STORED_IDS, { ...within, request_ids: ids });
  const requests: DecisionEvent[] = [];
  for (let from = 0; from < found.length; from += REQUESTS_PER_READ) {
    const some = found.slice(from, from + REQUESTS_PER_READ).join('\n');
    requests.push(...(await store.query('intake', EXISTING_REQUESTS, { ...within, request_ids: some })));
  }
  return requests;
}

async function storedGroups(
  store: Store,
  groups: ReadonlyMap<string, MinuteGroup>,
  known: StoredMinutes,
): Promise<MinuteGroup[]> {
  const unknown = [...groups].flatMap(([key, group]) => (known.has(key) ? [] : [group]));
  const pools = [...new Set(unknown.map((group) => group.pool))];
  const minutes = [...new Set(unknown.map((group) => group.minuteS))];
  const found = new Set(unknown.length === 0 ? [] : await store.query('intake', STORED_MINUTES, { pools, minutes }));
  return [...groups].flatMap(([key, group]) => (known.has(key) || found.has(key) ? [group] : []));
}

interface MinuteGroup {
  readonly pool: string;
  /** Epoch seconds of the minute's start. */
  readonly minuteS: number;
  readonly requestIds: string[];
}

function groupByMinute(events: readonly DecisionEvent[]): Map<string, MinuteGroup> {
  const groups = new Map<string, MinuteGroup>();
  let last: MinuteGroup | undefined;
  for (const { pool, arrivedAtMs, requestId } of events) {
    const minuteS = Math.floor(arrivedAtMs / 60_000) * 60;
    if (last?.pool !== pool || last.minuteS !== minuteS) {
      const key = minuteKey(pool, minuteS);
      last = groups.get(key) ?? { pool, minuteS, requestIds: [] };
      groups.set(key, last);
    }
    last.requestIds.push(requestId);
  }
  return groups;
}

/** Names hold no control characters, so the parts cannot run into each other. */
function minuteKey(pool: string, minuteS: number): string {
  return `${minuteS}\u0000${pool}`;
}

function decodeRequest(row: Readonly<Record<string, unknown>>): DecisionEvent {
  const number = (name: string): number | null => (row[name] === null ? null : Number(row[name]));
  const text = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  const oneOf = <Value extends string>(values: readonly Value[], name: string): Value | null =>
    values.find((value) => value === row[name]) ?? null;
  return {
    requestId: String(row.request_id),
    pool: String(row.pool),
    tenant: String(row.tenant),
    attempt: Number(row.attempt),
    arrivedAtMs: Number(row.arrived_at_ms),
    class: text('class'),
    outcome: oneOf(OUTCOMES, 'outcome'),
    reason: oneOf(REJECT_REASONS, 'reason'),
    dispatchedAtMs: number('dispatched_at_ms'),
    completedAtMs: number('completed_at_ms'),
    status: oneOf(STATUSES, 'status'),
    costEstimate: number('cost_estimate'),
    cost: number('cost'),
    inputTokens: number('input_tokens'),
    outputTokens: number('output_tokens'),
    slots: number('slots'),
    originalRequestId: text('original_request_id'),
    retryAfterMs: number('retry_after_ms'),
    promoted: row.promoted === null ? null : Number(row.promoted) > 0,
    weight: number('weight'),
    queueDepth: number('queue_depth'),
    waitBudgetMs: number('wait_budget_ms'),
    gateway: text('gateway'),
    labels: text('labels'),
    tenantProvenance: oneOf(PROVENANCES, 'tenant_provenance'),
    waitProvenance: oneOf(PROVENANCES, 'wait_provenance'),
  };
}
