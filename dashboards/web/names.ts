const MAX_SHOWN = 64;
/** Characters that move, hide or break the text around them: controls, line separators, bidirectional marks. */
const DISRUPTIVE = /[\p{Cc}\p{Cs}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;

/**
 * A name from a log as it may stand in text. Names are hostile input: what would disturb its surroundings is replaced by
 * U+FFFD, long names are cut. The result is still no markup: it goes into text nodes and canvases only.
 */
export function displayName(name: string): string {
  const clean = name.replace(DISRUPTIVE, '\uFFFD');
  if (clean.trim() === '') return '(blank name)';
  const characters = [...clean];
  return characters.length <= MAX_SHOWN ? clean : `${characters.slice(0, MAX_SHOWN - 1).join('')}…`;
}
