import { type Rejection, reject } from '../event/decision-event.ts';
import { isJsonObject, type JsonObject } from '../event/json-object.ts';
import { MAX_RECORDS_IN_LINE, type Part } from './gateway-adapter.ts';

/** The keys of an attribute's `AnyValue` (OTLP JSON encoding) that hold one plain value. 64-bit integers are texts there. */
const SCALARS = ['stringValue', 'intValue', 'doubleValue', 'boolValue'] as const;

function anyValue(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  for (const key of SCALARS) if (value[key] !== undefined) return value[key];
  const list = isJsonObject(value.arrayValue) ? value.arrayValue.values : undefined;
  return Array.isArray(list) ? list.map((item) => (isJsonObject(item) ? anyValue(item) : item)) : undefined;
}

/** Attributes as OTLP writes them (a list of key and value) or as many tools print them (an object), put into `into`. */
function addAttributes(attributes: unknown, into: Record<string, unknown>): void {
  if (Array.isArray(attributes)) {
    for (const item of attributes) {
      if (isJsonObject(item) && typeof item.key === 'string') put(into, item.key, anyValue(item.value));
    }
    return;
  }
  if (!isJsonObject(attributes)) return;
  for (const key of Object.keys(attributes)) put(into, key, anyValue(attributes[key]));
}

/** A resource's attributes are copied to each of its spans: of more than these the rest is not read. */
const MOST_RESOURCE_ATTRIBUTES = 256;

function resourceAttributes(resource: unknown): Readonly<Record<string, unknown>> {
  const all = isJsonObject(resource) ? resource.attributes : undefined;
  const some = Array.isArray(all)
    ? all.slice(0, MOST_RESOURCE_ATTRIBUTES)
    : isJsonObject(all)
      ? Object.fromEntries(Object.entries(all).slice(0, MOST_RESOURCE_ATTRIBUTES))
      : undefined;
  const flat: Record<string, unknown> = {};
  addAttributes(some, flat);
  return flat;
}

function put(into: Record<string, unknown>, key: string, value: unknown): void {
  // An assignment to this name would change what the record is.
  if (key !== '__proto__') into[key] = value;
}

/** One span as a flat record: its own fields, its attributes and those of its resource, the nearer before the farther. */
function flatSpan(span: JsonObject, inherited: Readonly<Record<string, unknown>>): JsonObject {
  const flat: Record<string, unknown> = { ...inherited };
  addAttributes(span.attributes, flat);
  for (const key of Object.keys(span)) if (key !== 'attributes') put(flat, key, span[key]);
  return flat;
}

/** The flat record of a span that is a line of its own; its `resource` is as OTLP has it. */
export function flattenSpan(span: JsonObject): JsonObject {
  return flatSpan(span, resourceAttributes(span.resource));
}

/** How much of resources the texts of refused spans may repeat in all, in characters. */
const MOST_REPEATED = 8_388_608;

function* spansOf(value: JsonObject): Generator<Part | Rejection> {
  const { resourceSpans } = value;
  if (!Array.isArray(resourceSpans)) {
    yield reject('wrong_type', 'resourceSpans must be a list, as OTLP JSON has it');
    return;
  }
  let repeated = 0;
  for (const group of resourceSpans) {
    if (!isJsonObject(group)) continue;
    const inherited = resourceAttributes(group.resource);
    let resource: string | null = null;
    /** An export of this span alone; without its resource once too much of those was repeated. */
    const alone = (span: JsonObject): string => {
      resource ??= JSON.stringify(group.resource) ?? 'null';
      repeated += resource.length;
      if (repeated > MOST_REPEATED) return JSON.stringify(span);
      return `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"spans":[${JSON.stringify(span)}]}]}]}`;
    };
    const scopes = group.scopeSpans ?? group.instrumentationLibrarySpans;
    for (const scoped of Array.isArray(scopes) ? scopes : []) {
      const spans = isJsonObject(scoped) && Array.isArray(scoped.spans) ? scoped.spans : [];
      for (const span of spans) {
        if (isJsonObject(span)) yield { record: flatSpan(span, inherited), raw: () => alone(span) };
        else yield { ...reject('not_object', 'a span must be an object'), raw: JSON.stringify(span) ?? '' };
      }
    }
  }
}

/** The spans of a line: an export of OTLP JSON (`resourceSpans`), or one span. */
export function expandSpans(value: JsonObject): readonly (Part | Rejection)[] | null {
  if (value.resourceSpans === undefined) return null;
  const parts: (Part | Rejection)[] = [];
  for (const part of spansOf(value)) {
    parts.push(part);
    // One more than a line may hold tells that there are too many.
    if (parts.length > MAX_RECORDS_IN_LINE) break;
  }
  return parts;
}

const STATUS_ERROR: ReadonlySet<unknown> = new Set([2, 'ERROR', 'STATUS_CODE_ERROR', 'Error']);

/** Whether a span's status says that it failed. */
export function isErrorStatus(status: JsonObject | null): boolean {
  return status !== null && STATUS_ERROR.has(status.code ?? status.status_code);
}

const SERVER_KINDS: ReadonlySet<unknown> = new Set([2, 'SERVER', 'SPAN_KIND_SERVER', 'Server']);

/** Whether a span is a server's account of a request that it was sent. */
export function isServerKind(kind: unknown): boolean {
  return SERVER_KINDS.has(kind);
}
