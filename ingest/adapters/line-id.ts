const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a over UTF-16 code units, in 32 bits. */
function fnv1a(text: string, offset: number): number {
  let hash = offset;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return hash >>> 0;
}

/**
 * An id for a record that carries none: of its text and its line, so that the same file read again gives the same ids,
 * equal lines of one file are two requests, and other files hardly ever share one.
 */
export function lineId(text: string, line: number): string {
  const first = fnv1a(text, FNV_OFFSET);
  const second = fnv1a(text, first ^ 0x5bd1e995);
  return `line-${line}-${first.toString(16).padStart(8, '0')}${second.toString(16).padStart(8, '0')}`;
}
