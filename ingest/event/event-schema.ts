import { type TSchema, Type } from 'typebox';
import { OUTCOMES, REJECT_REASONS, STATUSES } from './decision-event.ts';
import {
  DECISION_SCHEMA,
  type DecisionField,
  MAX_ATTEMPT,
  MAX_NAME,
  MAX_POOL,
  MAX_REQUEST_ID,
  MAX_TENANT,
} from './event-fields.ts';
import { EARLIEST_MS, LATEST_MS } from './parse-time.ts';

/** No control character and no half of a surrogate pair (a pattern of ECMA-262 with the `u` flag, as JSON Schema asks). */
const OPAQUE_TEXT = '^[^\\p{Cc}\\p{Cs}]*$';
/** RFC 3339; the days of each month and the ends of the range are checked by the parser alone. */
const RFC_3339 =
  '^(19(7[3-9]|[89][0-9])|20[0-9]{2}|2100)-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' +
  '[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?' +
  '([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$';

function text(minLength: number, maxLength: number, description: string): TSchema {
  return Type.String({ minLength, maxLength, pattern: OPAQUE_TEXT, description });
}

function figure(description: string): TSchema {
  return Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}

function count(description: string): TSchema {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}

function time(description: string): TSchema {
  return Type.Union(
    [
      Type.String({ pattern: RFC_3339 }),
      Type.Number({ minimum: EARLIEST_MS, exclusiveMaximum: LATEST_MS, description: 'epoch milliseconds' }),
    ],
    { description },
  );
}

function oneOf(values: readonly string[], description: string): TSchema {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );
}

/** A field that may be left out; null says the same. */
function optional(schema: TSchema): TSchema {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

const properties: Record<DecisionField, TSchema> = {
  schema: optional(Type.Literal(DECISION_SCHEMA, { description: 'the version; absent means v1' })),
  request_id: text(1, MAX_REQUEST_ID, 'identity within the pool'),
  pool: optional(text(1, MAX_POOL, 'the capacity that the request asks for; absent means "default"')),
  tenant: text(1, MAX_TENANT, 'who shares the pool; opaque, kept code point for code point'),
  class: optional(text(0, MAX_NAME, 'realtime, interactive, batch or a name of your own')),
  arrived_at: time('arrival at the gateway; part of the identity'),
  outcome: optional(oneOf(OUTCOMES, 'absent means admitted, once all events of the request are merged')),
  reason: optional(oneOf(REJECT_REASONS, 'required with outcome rejected')),
  dispatched_at: optional(time('the request left the queue for a server')),
  completed_at: optional(time('the request was done')),
  status: optional(oneOf(STATUSES, 'how it completed')),
  cost_estimate: optional(figure("at admission, in the pool's cost unit")),
  cost: optional(figure("after completion, in the pool's cost unit")),
  input_tokens: optional(count('tokens read')),
  output_tokens: optional(count('tokens generated')),
  slots: optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "how many of the pool's slots it holds while served; absent means 1",
    }),
  ),
  attempt: optional(Type.Integer({ minimum: 1, maximum: MAX_ATTEMPT, description: 'absent means 1' })),
  original_request_id: optional(text(0, MAX_NAME, "the first attempt's request_id")),
  retry_after_ms: optional(figure('what a rejected caller was told')),
  promoted: optional(Type.Boolean({ description: 'the starvation guard moved it ahead' })),
  weight: optional(figure("the tenant's weight as in force at arrival")),
  queue_depth: optional(figure('requests waiting at arrival')),
  wait_budget_ms: optional(figure('the wait budget in force at arrival')),
  gateway: optional(text(0, MAX_NAME, 'the instance')),
};

/** The wire form `evenshare.decision.v1` as JSON Schema, for documents and OpenAPI. Unknown fields are kept as labels. */
export const DecisionEventSchema = Type.Object(properties, {
  $id: DECISION_SCHEMA,
  title: 'Decision event',
  description: 'What is known of one request at one moment. Events of one request are merged field by field.',
  additionalProperties: true,
  if: { properties: { outcome: { const: 'rejected' } }, required: ['outcome'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { reason: { type: 'string' } }, required: ['reason'] },
});
