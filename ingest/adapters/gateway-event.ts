import {
  type DecisionEvent,
  type Outcome,
  type Provenance,
  type RecordOutcome,
  type RejectReason,
  reject,
  type Status,
} from '../event/decision-event.ts';
import { MAX_ATTEMPT, MAX_NAME, MAX_POOL, MAX_REQUEST_ID, MAX_TENANT } from '../event/event-fields.ts';
import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import { EARLIEST_MS, LATEST_MS } from '../event/parse-time.ts';
import type { AdapterOptions } from './adapter.ts';
import { standInTenant } from './adapter-options.ts';
import type { LabelWriter } from './label-writer.ts';
import type { Site } from './site.ts';

/** What a gateway's log says of one request, in the event's terms. Null: it does not say. */
export interface GatewayFacts {
  /** Null: the record has no id of its own and gets one of its line. */
  readonly requestId: string | null;
  readonly arrivedAtMs: number | null;
  readonly outcome: Outcome | null;
  readonly reason: RejectReason | null;
  /** Whole or not: rounded to the millisecond. */
  readonly dispatchedAtMs: number | null;
  readonly completedAtMs: number | null;
  readonly status: Status | null;
  readonly cost: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Null: the first. */
  readonly attempt: number | null;
  readonly originalRequestId: string | null;
  readonly retryAfterMs: number | null;
  /** Null: measured. */
  readonly waitProvenance: Provenance | null;
}

export const NO_FACTS: GatewayFacts = {
  requestId: null,
  arrivedAtMs: null,
  outcome: null,
  reason: null,
  dispatchedAtMs: null,
  completedAtMs: null,
  status: null,
  cost: null,
  inputTokens: null,
  outputTokens: null,
  attempt: null,
  originalRequestId: null,
  retryAfterMs: null,
  waitProvenance: null,
};

/** Where a record stood. */
export interface RecordPlace {
  /** An id for a record that has none: of its line. */
  readonly ownId: () => string;
}

export interface EventParts {
  readonly tenant: readonly string[];
  /** Fields that hold the gateway's own name. */
  readonly gateway?: readonly string[];
  /** Default labels. */
  readonly labels: readonly string[];
  /** An id for a record that has none. */
  readonly idOf: (record: JsonObject, place: RecordPlace) => string;
}

/** Makes events of what a format's own reading found, with what the site's mapping and the command line add. */
export class EventMaker {
  readonly #defaultPool: string;
  readonly #standIn: ReturnType<typeof standInTenant>;
  readonly #tenant;
  readonly #pool;
  readonly #class;
  readonly #gateway;
  readonly #labels: LabelWriter;
  readonly #idOf: EventParts['idOf'];

  constructor(site: Site, options: AdapterOptions, parts: EventParts) {
    this.#defaultPool = options.defaultPool;
    this.#standIn = standInTenant(options);
    this.#tenant = site.role('tenant', parts.tenant);
    this.#pool = site.role('pool', []);
    this.#class = site.role('class', []);
    this.#gateway = site.role('gateway', parts.gateway ?? []);
    this.#labels = site.labels(parts.labels);
    this.#idOf = parts.idOf;
  }

  /** `read` is the record's own reader: a fault that it met already counts. */
  make(read: FieldReader, record: JsonObject, place: RecordPlace, facts: GatewayFacts): RecordOutcome {
    const named = this.#tenant(read, record);
    const tenant = named.value === null || named.value === '' ? null : named.value;
    const event: DecisionEvent = {
      requestId: read.requiredText('request_id', facts.requestId ?? this.#idOf(record, place), MAX_REQUEST_ID),
      pool: read.requiredText('pool', this.#pool(read, record).value ?? this.#defaultPool, MAX_POOL),
      tenant: read.requiredText('tenant', tenant ?? this.#standIn.tenant, MAX_TENANT),
      attempt: facts.attempt === null ? 1 : Math.min(MAX_ATTEMPT, Math.max(1, facts.attempt)),
      arrivedAtMs: requiredTime(read, facts.arrivedAtMs),
      class: read.text('class', this.#class(read, record).value, MAX_NAME),
      outcome: facts.outcome,
      reason: facts.reason,
      dispatchedAtMs: laterTime(read, 'dispatched_at', facts.dispatchedAtMs),
      completedAtMs: laterTime(read, 'completed_at', facts.completedAtMs),
      status: facts.status,
      costEstimate: null,
      cost: facts.cost,
      inputTokens: facts.inputTokens,
      outputTokens: facts.outputTokens,
      slots: null,
      originalRequestId: read.text('original_request_id', facts.originalRequestId, MAX_NAME),
      retryAfterMs: facts.retryAfterMs,
      promoted: null,
      weight: null,
      queueDepth: null,
      waitBudgetMs: null,
      gateway: read.text('gateway', this.#gateway(read, record).value, MAX_NAME),
      labels: this.#labels(record),
      tenantProvenance: tenant === null ? this.#standIn.provenance : named.isDerived ? 'derived' : null,
      waitProvenance: facts.waitProvenance,
    };
    return read.fault ?? { kind: 'decision', event };
  }
}

function requiredTime(read: FieldReader, timeMs: number | null): number {
  if (timeMs === null) {
    read.fail('missing_field', 'the record has no time of arrival: say under fields what your log calls it');
    return 0;
  }
  return laterTime(read, 'arrived_at', timeMs) ?? 0;
}

/** A time that was computed, to the millisecond; refused when it is no real one. */
function laterTime(read: FieldReader, name: string, timeMs: number | null): number | null {
  if (timeMs === null) return null;
  const rounded = Math.round(timeMs);
  if (rounded >= EARLIEST_MS && rounded < LATEST_MS) return rounded;
  read.fault ??= reject('out_of_range', `${name} is outside the years 1973 to 2100: check the log's times and units`);
  return null;
}
