/** The largest text of `DecisionEvent.labels`, in bytes of UTF-8. */
export const MAX_LABELS_BYTES = 4096;

const MAX_DEPTH = 16;
const TRUNCATED_KEY = '_truncated';

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The JSON text of a value with the keys of every object sorted, or null when it nests deeper than `MAX_DEPTH` or cannot
 * fit the labels anyway: what is too large is never built whole.
 */
function canonicalJson(value: unknown, depth: number): string | null {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string' && value.length > MAX_LABELS_BYTES) return null;
    return JSON.stringify(value) ?? null;
  }
  if (depth === MAX_DEPTH) return null;
  const parts: string[] = [];
  let length = 2;
  const add = (prefix: string, part: unknown): boolean => {
    const text = canonicalJson(part, depth + 1);
    if (text === null) return false;
    parts.push(prefix + text);
    length += prefix.length + text.length + 1;
    return length <= MAX_LABELS_BYTES;
  };
  if (Array.isArray(value)) {
    for (const item of value) if (!add('', item)) return null;
    return `[${parts.join(',')}]`;
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_LABELS_BYTES) return null;
  entries.sort(([a], [b]) => compareCodeUnits(a, b));
  for (const [key, item] of entries) if (!add(`${JSON.stringify(key)}:`, item)) return null;
  return `{${parts.join(',')}}`;
}

interface Label {
  readonly key: string;
  readonly text: string;
  readonly bytes: number;
}

function labelOf(key: string, value: unknown): Label | null {
  if (key.length > MAX_LABELS_BYTES) return null;
  const json = canonicalJson(value, 0);
  if (json === null) return null;
  const text = `${JSON.stringify(key)}:${json}`;
  return { key, text, bytes: Buffer.byteLength(text) };
}

/** Bytes of the object that holds these labels: the braces, the texts and the commas between them. */
function objectBytes(labels: readonly Label[]): number {
  let bytes = 2 + Math.max(0, labels.length - 1);
  for (const label of labels) bytes += label.bytes;
  return bytes;
}

/** Drops whole labels, the longest first and of equals the greater key, until the rest fits beside the mark. */
function dropLongest(labels: readonly Label[], mark: Label): readonly Label[] {
  const longestFirst = [...labels].sort((a, b) => b.bytes - a.bytes || compareCodeUnits(b.key, a.key));
  let bytes = objectBytes(longestFirst) + mark.bytes + 1;
  let dropped = 0;
  for (const label of longestFirst) {
    if (bytes <= MAX_LABELS_BYTES) break;
    bytes -= label.bytes + 1;
    dropped++;
  }
  return [...longestFirst.slice(dropped), mark];
}

/**
 * The fields of a record that the event does not know, as JSON text with sorted keys and at most `MAX_LABELS_BYTES`
 * bytes; null when there are none. Fields that do not fit are dropped whole, the longest first, and
 * `"_truncated":true` says so. A field whose value is null is absent here too.
 */
export function collectLabels(record: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): string | null {
  const labels: Label[] = [];
  let isTruncated = false;
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (known.has(key) || value === null || value === undefined) continue;
    const label = labelOf(key, value);
    if (label === null) isTruncated = true;
    else labels.push(label);
  }
  let kept: readonly Label[] = labels;
  if (isTruncated || objectBytes(labels) > MAX_LABELS_BYTES) {
    const mark = labelOf(TRUNCATED_KEY, true);
    const others = labels.filter((label) => label.key !== TRUNCATED_KEY);
    kept = mark === null ? others : dropLongest(others, mark);
  }
  if (kept.length === 0) return null;
  const sorted = [...kept].sort((a, b) => compareCodeUnits(a.key, b.key));
  return `{${sorted.map((label) => label.text).join(',')}}`;
}
