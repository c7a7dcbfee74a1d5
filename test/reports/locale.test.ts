import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFormats } from '../../reports/format.ts';
import { LOCALES, openLocale } from '../../reports/index.ts';
import { text } from '../../reports/locale.ts';

const REPORTS = join(import.meta.dirname, '../../reports');

describe('the words of reports', () => {
  it('are there in every language that is offered, under the same keys, with the same values', async () => {
    const valuesIn = (entry: unknown): string[] => [...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();
    const english = (await openLocale('en')).texts;
    for (const tag of LOCALES) {
      const { texts } = await openLocale(tag);
      expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
      for (const [key, entry] of Object.entries(texts))
        expect([key, valuesIn(entry)]).toEqual([key, valuesIn(english[key])]);
    }
    expect(readdirSync(join(REPORTS, 'locales')).sort()).toEqual(LOCALES.map((tag) => `${tag}.json`).sort());
  });

  it('that the code and the template name are all there, and none is there for nothing', async () => {
    const english = (await openLocale('en')).texts;
    const sources = readdirSync(REPORTS, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|hbs)$/.test(name))
      .map((name) => readFileSync(join(REPORTS, name), 'utf8'))
      .join('\n');
    const named = [...sources.matchAll(/(?:say|counted|text)\(\s*(?:locale,\s*)?'([\w.]+)'|\{\{t "([\w.]+)"\}\}/g)];
    expect(named.length).toBeGreaterThan(60);
    expect(
      named.map(([, inCode, inTemplate]) => inCode ?? inTemplate).filter((key) => !(String(key) in english)),
    ).toEqual([]);
    // Keys that are put together: a prefix in a template literal or a kind of code.
    const prefixes = [
      ...[...sources.matchAll(/`([\w.]+\.)\$\{/g)].map(([, prefix]) => prefix ?? ''),
      ...[...sources.matchAll(/code\('(\w+)'/g)].map(([, kind]) => `${kind}.`),
      ...[...sources.matchAll(/list\([\w.]+, '(\w+)'/g)].map(([, kind]) => `${kind}.`),
    ];
    const isUsed = (key: string): boolean =>
      sources.includes(`'${key}'`) || sources.includes(`"${key}"`) || prefixes.some((prefix) => key.startsWith(prefix));
    expect(Object.keys(english).filter((key) => !isUsed(key))).toEqual([]);
  });

  it('refuse a key or a value that is missing', async () => {
    const locale = await openLocale('en');
    expect(() => text(locale, 'no.such')).toThrow('has no text "no.such"');
    expect(() => text(locale, 'constructor')).toThrow('has no text "constructor"');
    expect(() => text(locale, 'pool.title')).toThrow('needs a value for {pool}');
    expect(text(locale, 'pool.title', { pool: '{month} $& $1' })).toBe('Pool {month} $& $1');
  });
});

describe('figures for people', () => {
  it.each([
    [0, '0%', 'nothing'],
    [0.0004, '0.04%', 'little, but not nothing'],
    [0.0123, '1.2%', 'a tenth below 10%'],
    [0.774, '77%', 'whole in between'],
    [0.9, '90.0%', 'a tenth near the whole'],
    [0.9999, '99.9%', '100% only for the whole'],
    [1, '100%', 'the whole'],
    [1.0001, '100%', 'and what exceeds it by nothing that shows'],
    [1.024, '102.4%', 'a tenth near the whole'],
    [3.5, '350%', 'whole beyond'],
  ])('a part of %d reads %s: %s', async (ratio, shown) => {
    expect(createFormats(await openLocale('en')).percent(ratio)).toBe(shown);
  });

  it.each([
    [0.4, '0.4 ms'],
    [7.34, '7.3 ms'],
    [999.4, '999 ms'],
    [999.6, '1 s'],
    [2_605, '2.6 s'],
    [59_600, '1 min'],
    [200_000, '3 min 20 s'],
    [3_900_000, '1 h 5 min'],
    [90_000_000, '1 d 1 h'],
  ])('a wait of %d ms reads %s', async (waitMs, shown) => {
    expect(createFormats(await openLocale('en')).wait(waitMs)).toBe(shown);
  });
});
