import type { Formats } from '../format.ts';
import { hasText, type Locale, type TextValues, text } from '../locale.ts';
import type { ReportDocument } from '../report-document.ts';
import { createLocalTimes, type LocalTimes } from './local-times.ts';

/** Everything that turns figures of one report into words. */
export interface Words {
  readonly formats: Formats;
  readonly times: LocalTimes;
  say(key: string, values?: TextValues): string;
  /** A code of the report in words; one that has none is shown as it is: nothing is hidden. */
  code(kind: string, code: string): string;
}

export function createWords(document: ReportDocument, locale: Locale, formats: Formats): Words {
  const say = (key: string, values?: TextValues): string => text(locale, key, values);
  return {
    formats,
    times: createLocalTimes(document.period, formats),
    say,
    code: (kind, code) => (hasText(locale, `${kind}.${code}`) ? say(`${kind}.${code}`) : code.replaceAll('_', ' ')),
  };
}
