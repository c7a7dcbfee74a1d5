import { type Rejection, reject } from './decision-event.ts';
import { COVERAGE_SCHEMA, DECISION_FIELD_SET, POOL_SCHEMA } from './event-fields.ts';
import { isJsonObject, type JsonObject, type WireResult } from './json-object.ts';

/** Attributes of CloudEvents 1.0 that say something of the envelope only. Other attributes are extensions. */
const ENVELOPE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'specversion',
  'id',
  'source',
  'type',
  'time',
  'subject',
  'datacontenttype',
  'dataschema',
  'data',
  'data_base64',
]);

/** The attributes that must be there (CloudEvents 1.0, "Required attributes"). */
const REQUIRED_ATTRIBUTES = ['id', 'source', 'type'] as const;

/** Which attribute stands in for which field of the event that `data` names by its schema. */
function standIns(schema: unknown): readonly (readonly [field: string, attribute: string])[] {
  if (schema === POOL_SCHEMA) return [['at', 'time']];
  if (schema === COVERAGE_SCHEMA) return [['gateway', 'source']];
  return [
    ['request_id', 'id'],
    ['gateway', 'source'],
    ['arrived_at', 'time'],
  ];
}

function checkEnvelope(envelope: JsonObject): Rejection | null {
  const version = envelope.specversion;
  if (typeof version !== 'string') return reject('wrong_type', 'specversion must be a string such as "1.0"');
  if (!/^1\.\d+$/.test(version)) return reject('unknown_schema', 'specversion is not 1.x: send CloudEvents 1.0');
  for (const attribute of REQUIRED_ATTRIBUTES) {
    const value = envelope[attribute];
    if (value === undefined || value === null) {
      return reject('missing_field', `${attribute} is missing: CloudEvents 1.0 requires id, source and type`);
    }
    if (typeof value !== 'string') return reject('wrong_type', `${attribute} must be a string`);
    if (value === '')
      return reject('empty_value', `${attribute} is empty: CloudEvents 1.0 requires id, source and type`);
  }
  return null;
}

function rejectData(envelope: JsonObject): Rejection {
  if (envelope.data !== undefined && envelope.data !== null) {
    return reject('wrong_type', 'data must be a JSON object: the event itself');
  }
  const hint = envelope.data_base64 === undefined ? 'put the event there' : 'send the event as JSON, not as base64';
  return reject('missing_field', `data is missing: ${hint}`);
}

/**
 * The event inside a structured CloudEvents 1.0 envelope, as a record of the plain wire form: what `data` says, with
 * `id`, `source` and `time` for `request_id`, `gateway` and `arrived_at` where `data` lacks them (`time` for `at` of a
 * pool announcement). Extension attributes become unknown fields unless they bear the name of an event's field: the
 * envelope never overrules or completes `data` but in the three fields named.
 */
export function unwrapCloudEvent(envelope: JsonObject): WireResult {
  const fault = checkEnvelope(envelope);
  if (fault !== null) return { ok: false, outcome: fault };
  const data = envelope.data;
  if (!isJsonObject(data)) return { ok: false, outcome: rejectData(envelope) };

  const entries = new Map<string, unknown>();
  for (const [key, value] of Object.entries(envelope)) {
    if (!ENVELOPE_ATTRIBUTES.has(key) && !DECISION_FIELD_SET.has(key)) entries.set(key, value);
  }
  for (const [key, value] of Object.entries(data)) entries.set(key, value);
  for (const [field, attribute] of standIns(data.schema)) {
    const own = entries.get(field);
    if (own === undefined || own === null) entries.set(field, envelope[attribute]);
  }
  return { ok: true, value: Object.fromEntries(entries) };
}
