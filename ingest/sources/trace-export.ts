import { isJsonObject, type JsonObject } from '../event/json-object.ts';

/** A span of a gateway or an engine, in the export of one alone. */
export type SpanFormat = 'otel-genai' | 'vllm';

export interface SpanGroup {
  readonly resource: unknown;
  readonly spans: readonly JsonObject[];
}

export interface SortedSpans {
  readonly ours: Readonly<Record<SpanFormat, readonly SpanGroup[]>>;
  /** Spans without any `gen_ai.` attribute: those of databases, queues, pages. */
  readonly ignored: number;
}

const OURS = 'gen_ai.';
/** What vLLM alone writes; the conventions for GenAI have neither. */
const VLLM_KEYS: ReadonlySet<string> = new Set(['gen_ai.request.id', 'gen_ai.latency.time_in_queue']);

/**
 * Sorts the spans of an OTLP export (JSON encoding, `ExportTraceServiceRequest`): a span is ours when one of its own
 * attributes begins with `gen_ai.`, and vLLM's when it has one of the attributes that vLLM alone writes. A collector sends
 * every span that it has: the others are no error.
 *
 * @returns null when the value is no such export.
 */
export function sortSpans(value: unknown): SortedSpans | null {
  if (!isJsonObject(value)) return null;
  const { resourceSpans } = value;
  // An export of nothing is `{}` in this encoding; anything else without that list is something else.
  const groups = resourceSpans ?? (Object.keys(value).length === 0 ? [] : null);
  if (!Array.isArray(groups)) return null;
  const ours: Record<SpanFormat, SpanGroup[]> = { 'otel-genai': [], vllm: [] };
  let ignored = 0;
  for (const group of groups) {
    if (!isJsonObject(group)) return null;
    if (!isWellFormed(group)) return null;
    const found: Record<SpanFormat, JsonObject[]> = { 'otel-genai': [], vllm: [] };
    for (const span of spansOf(group)) {
      const format = isJsonObject(span) ? formatOf(span) : null;
      if (format === null || !isJsonObject(span)) ignored++;
      else found[format].push(span);
    }
    for (const format of SPAN_FORMATS) {
      if (found[format].length > 0) ours[format].push({ resource: group.resource, spans: found[format] });
    }
  }
  return { ours, ignored };
}

export const SPAN_FORMATS: readonly SpanFormat[] = ['otel-genai', 'vllm'];

/** Lists are lists where they stand: what is left out is empty. */
function isWellFormed({ scopeSpans }: JsonObject): boolean {
  const scopes = scopeSpans ?? [];
  if (!Array.isArray(scopes)) return false;
  return scopes.every((scoped) => isJsonObject(scoped) && Array.isArray(scoped.spans ?? []));
}

function* spansOf(group: JsonObject): Generator<unknown> {
  const { scopeSpans } = group;
  if (!Array.isArray(scopeSpans)) return;
  for (const scoped of scopeSpans) if (isJsonObject(scoped) && Array.isArray(scoped.spans)) yield* scoped.spans;
}

function formatOf(span: JsonObject): SpanFormat | null {
  if (!Array.isArray(span.attributes)) return null;
  let format: SpanFormat | null = null;
  for (const attribute of span.attributes) {
    if (!isJsonObject(attribute) || typeof attribute.key !== 'string') continue;
    if (VLLM_KEYS.has(attribute.key)) return 'vllm';
    if (attribute.key.startsWith(OURS)) format = 'otel-genai';
  }
  return format;
}

/** Exports of at most so many spans each, as one line of JSON: what the adapters read. */
export function* exportTexts(groups: readonly SpanGroup[], maxSpans: number): Generator<string> {
  let part: { resource: unknown; scopeSpans: { spans: readonly JsonObject[] }[] }[] = [];
  let count = 0;
  const text = (): string => JSON.stringify({ resourceSpans: part });
  for (const { resource, spans } of groups) {
    for (let from = 0; from < spans.length; ) {
      const some = spans.slice(from, from + maxSpans - count);
      part.push({ resource, scopeSpans: [{ spans: some }] });
      count += some.length;
      from += some.length;
      if (count < maxSpans) continue;
      yield text();
      part = [];
      count = 0;
    }
  }
  if (count > 0) yield text();
}
