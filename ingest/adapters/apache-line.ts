/** What a line of Apache's log says. */
export interface ApacheLine {
  readonly host: string;
  readonly user: string;
  /** RFC 3339. */
  readonly time: string;
  readonly request: string;
  readonly status: string;
  readonly bytes: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** `10/Oct/2000:13:55:36 -0700`. */
const TIME_LENGTH = 26;
const TIME = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/;
const STATUS_AND_BYTES = /^ (\d{3}) (\d{1,19}|-)(?= |$)/;

function rfc3339(text: string): string | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const month = MONTHS.indexOf(match[2] ?? '') + 1;
  if (month === 0) return null;
  return `${match[3]}-${String(month).padStart(2, '0')}-${match[1]}T${match[4]}${match[5]}:${match[6]}`;
}

/** Where a quoted text that begins at `start` ends (its closing quote); -1 when it does not. `\` takes its next along. */
function closingQuote(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5c) index++;
    else if (code === 0x22) return index;
  }
  return -1;
}

/**
 * Cuts a line of the common or combined format (`%h %l %u %t "%r" %>s %b …`); null when it is none. What follows the
 * bytes is not read. Names of users may hold blanks: the time's bracket is what ends them. Takes time in proportion to
 * the line.
 */
export function parseApacheLine(text: string): ApacheLine | null {
  const afterHost = text.indexOf(' ');
  const afterLogname = afterHost < 0 ? -1 : text.indexOf(' ', afterHost + 1);
  if (afterHost <= 0 || afterLogname < 0) return null;
  for (let open = text.indexOf(' [', afterLogname + 1); open >= 0; open = text.indexOf(' [', open + 1)) {
    const timeEnd = open + 2 + TIME_LENGTH;
    if (text[timeEnd] !== ']' || text[timeEnd + 1] !== ' ' || text[timeEnd + 2] !== '"') continue;
    const time = rfc3339(text.slice(open + 2, timeEnd));
    if (time === null) continue;
    const quote = closingQuote(text, timeEnd + 2);
    const rest = quote < 0 ? null : STATUS_AND_BYTES.exec(text.slice(quote + 1, quote + 40));
    if (rest === null) return null;
    return {
      host: text.slice(0, afterHost),
      user: text.slice(afterLogname + 1, open),
      time,
      request: text.slice(timeEnd + 3, quote),
      status: rest[1] ?? '',
      bytes: rest[2] ?? '',
    };
  }
  return null;
}
