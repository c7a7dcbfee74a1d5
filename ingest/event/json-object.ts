import { type RecordOutcome, type Rejection, reject } from './decision-event.ts';

/** A JSON object whose values are not yet checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The refusal of JSON that is not an object. */
export function rejectNonObject(value: unknown): Rejection {
  const hint = Array.isArray(value)
    ? 'an array: write one object per line'
    : 'not an object: write one object per line';
  return reject('not_object', `the record is ${hint}`);
}

/** A record in the wire form, its values not yet checked, or what the record is instead. */
export type WireResult =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly outcome: RecordOutcome };

const SKIPPED: ValueResult = { ok: false, outcome: { kind: 'skip' } };

function syntaxDetail(text: string, cause: unknown): string {
  if (/[:,[]\s*-?(NaN|Infinity)\b/.test(text)) {
    return 'the record is not JSON: NaN and Infinity are no JSON numbers, leave such a field out';
  }
  // Only the position is taken from the engine's message: the message may quote the record.
  const position = /at position (\d+)/.exec(cause instanceof Error ? cause.message : '')?.[1];
  const where = position === undefined ? '' : ` at character ${Number(position) + 1}`;
  return `the record is not JSON${where}: each line must hold one JSON object (is --format right?)`;
}

/** The JSON value of a line, or what the line is instead. */
export type ValueResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly outcome: RecordOutcome };

/** As `parseJsonText`, for lines that may hold something else than an object. */
export function parseJsonValue(text: string, isUnterminated: boolean): ValueResult {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  // Blankness is asked only of lines that do not begin as an object does.
  if (body.charCodeAt(0) !== 0x7b && body.trim() === '') return SKIPPED;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    if (isUnterminated) {
      const detail =
        'the last line has no newline and is no whole JSON object: it was cut off, or is still being written';
      return { ok: false, outcome: reject('torn_line', detail) };
    }
    return { ok: false, outcome: reject('not_json', syntaxDetail(body, cause)) };
  }
  return { ok: true, value };
}

/**
 * Reads one line of NDJSON. A BOM at its start is dropped, a blank line is `skip`. `isUnterminated` tells that the input
 * ended without a newline: what then is no JSON was probably cut off and is `torn_line` instead of `not_json`.
 */
export function parseJsonText(text: string, isUnterminated: boolean): WireResult {
  const json = parseJsonValue(text, isUnterminated);
  if (!json.ok) return json;
  return isJsonObject(json.value)
    ? { ok: true, value: json.value }
    : { ok: false, outcome: rejectNonObject(json.value) };
}
