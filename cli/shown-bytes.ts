import { isUtf8 } from 'node:buffer';
import { printable } from './output.ts';

/**
 * Bytes that anybody may have sent, in one line that no terminal obeys: text with its control characters as `\u{…}`, or,
 * where it is no UTF-8, ASCII with every other byte as `\xNN`. At most `maxBytes` of them; what is left out is told.
 */
export function shownBytes(bytes: Uint8Array, maxBytes: number): string {
  const shown = bytes.subarray(0, isUtf8(bytes) ? wholeCharacters(bytes, maxBytes) : maxBytes);
  const left = bytes.length - shown.length;
  return left === 0 ? escaped(shown) : `${escaped(shown)}… and ${left} bytes more`;
}

function escaped(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return printable(Buffer.from(bytes).toString('utf8'));
  return Array.from(bytes, (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
  ).join('');
}

/** So many of the first bytes of UTF-8 that no character is cut. */
function wholeCharacters(bytes: Uint8Array, maxBytes: number): number {
  if (bytes.length <= maxBytes) return bytes.length;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}
