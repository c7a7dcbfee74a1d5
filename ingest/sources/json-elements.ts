const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const ARRAY = 0x5b;

/**
 * The bytes of each element of a JSON array as they came, without the blanks around them; of another value its own. The
 * text must be valid: it is cut, not checked.
 */
export function jsonElements(json: Uint8Array): Uint8Array[] {
  const text = trimmed(json);
  if (text[0] !== ARRAY) return [text];
  const inside = text.subarray(1, -1);
  const elements: Uint8Array[] = [];
  let from = 0;
  let depth = 0;
  let isString = false;
  for (let at = 0; at < inside.length; at++) {
    const byte = inside[at] ?? 0;
    if (isString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isString = false;
    } else if (byte === QUOTE) isString = true;
    else if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte)) depth--;
    else if (byte === COMMA && depth === 0) {
      elements.push(trimmed(inside.subarray(from, at)));
      from = at + 1;
    }
  }
  const last = trimmed(inside.subarray(from));
  if (last.length > 0) elements.push(last);
  return elements;
}

/** Without the blanks of JSON (RFC 8259, section 2) around it. */
function trimmed(bytes: Uint8Array): Uint8Array {
  let from = 0;
  let to = bytes.length;
  while (from < to && isBlank(bytes[from])) from++;
  while (to > from && isBlank(bytes[to - 1])) to--;
  return bytes.subarray(from, to);
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
