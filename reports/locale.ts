import { readFile } from 'node:fs/promises';
import { assertInvariant, EvenshareError } from '../scheduler-core/index.ts';

type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/** The words of reports in one language: a file of `locales/`, in which `{name}` stands for a value. */
export interface Locale {
  /** BCP 47. */
  readonly tag: string;
  readonly texts: Readonly<Record<string, string | PluralForms>>;
}

export type TextValues = Readonly<Record<string, string | number>>;

/** The languages that reports are written in. */
export const LOCALES = ['en'] as const;
export type LocaleTag = (typeof LOCALES)[number];

/** Reads a locale from its file beside this module. */
export async function openLocale(tag: LocaleTag): Promise<Locale> {
  const content: unknown = JSON.parse(await readFile(new URL(`./locales/${tag}.json`, import.meta.url), 'utf8'));
  assertInvariant(isTexts(content), `the texts of "${tag}" are a flat object`);
  return { tag, texts: content };
}

/** Whether the locale has a text of its own for a code that comes from the store. */
export function hasText(locale: Locale, key: string): boolean {
  return Object.hasOwn(locale.texts, key);
}

/**
 * A text with its values filled in. Where it has plural forms, `count` chooses; `count` itself is written as `shown` when
 * that is given (a number with its separators).
 *
 * @throws EVS_INVARIANT for a key or a value that is missing.
 */
export function text(locale: Locale, key: string, values: TextValues = {}): string {
  const found = hasText(locale, key) ? locale.texts[key] : undefined;
  const template = typeof found === 'object' ? pluralForm(locale, found, Number(values.count)) : found;
  if (template === undefined) throw new EvenshareError('EVS_INVARIANT', `locale "${locale.tag}" has no text "${key}"`);
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = name === 'count' && values.shown !== undefined ? values.shown : values[name];
    if (value === undefined) throw new EvenshareError('EVS_INVARIANT', `text "${key}" needs a value for {${name}}`);
    return String(value);
  });
}

function pluralForm(locale: Locale, forms: PluralForms, count: number): string | undefined {
  return forms[new Intl.PluralRules(locale.tag).select(count)] ?? forms.other;
}

function isTexts(value: unknown): value is Locale['texts'] {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(
      (entry) =>
        typeof entry === 'string' ||
        (typeof entry === 'object' && entry !== null && Object.values(entry).every((form) => typeof form === 'string')),
    )
  );
}
