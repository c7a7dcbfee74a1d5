import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { readYaml } from '../../../scheduler-core/policy/read-yaml.ts';
import { FAIR_QUEUE, FULLER } from './policy-texts.ts';

/** Written on one line each, as policies are: block texts and folded lines are not read. */
const ONE_LINE = { lineWidth: 0, blockQuote: false, doubleQuotedMinMultiLineLength: 1e9, aliasDuplicateObjects: false };

const words = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom(
    '',
    ' ',
    'null',
    '~',
    '1',
    '0x1f',
    '.inf',
    '-',
    '- a',
    'a: b',
    'a #b',
    '#',
    '---',
    '...',
    '<<',
    "it's",
  ),
  fc.constantFrom(
    '"',
    '\\',
    '\n',
    'a\nb',
    '\t',
    '{',
    ']',
    ',',
    '&a',
    '*a',
    '!t',
    '|',
    '>',
    '%',
    '@',
    '`',
    '?',
    ':',
    '=x',
  ),
);

function valuesOf(word: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const scalar = fc.oneof(word, fc.double({ noNaN: true }), fc.integer(), fc.boolean(), fc.constant(null));
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(word, tie('value'), { maxKeys: 5 }),
    ),
  })).value;
}

const anyValue = valuesOf(words);
/** For styles that would write a line end as one, over several lines. */
const valueOfLines = valuesOf(words.map((word) => word.replace(/\n/g, ' ')));

/** Mappings as Maps. */
function withMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMaps);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, withMaps(item)]));
}

function parameters(numRuns: number) {
  const seed = 20_260_101;
  return { seed, numRuns, verbose: 1 };
}

describe('what another program wrote', () => {
  it.each([
    ['in blocks', anyValue, {}],
    ['in brackets', valueOfLines, { collectionStyle: 'flow' }],
    ['with lists right under their keys', anyValue, { indentSeq: false }],
    ['deeply indented', anyValue, { indent: 7 }],
    ['in single quotes', valueOfLines, { singleQuote: true }],
    ['in double quotes', anyValue, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' }],
  ] as const)('%s reads back the same', (_how, values, options) => {
    fc.assert(
      fc.property(values, (value) => {
        const text = stringify(value, { ...ONE_LINE, ...options });
        expect(readYaml(text, 'it'), text).toEqual(withMaps(value));
      }),
      parameters(3_000),
    );
  });

  it('as JSON reads back the same, with any white space', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom('', ' ', '\t', 7), (value, space) => {
        // JSON has no infinity and no negative zero.
        const text = JSON.stringify(value, null, space);
        expect(readYaml(text, 'it'), text).toEqual(withMaps(JSON.parse(text)));
      }),
      parameters(3_000),
    );
  });
});

describe('a text that was damaged', () => {
  const piece = fc.constantFrom(
    ...['\n', '\t', ' ', '  ', '- ', ': ', ':', ', ', '#', '"', "'", '{', '}', '[', ']', '&', '*', '!', '|', '>'],
    ...['---', '...', '\\', '\0', '\r', '?', '? ', '\ufeff', '\ud800', '0', 'x: y', '{a: 1}', '__proto__: 1\n'],
  );
  const damage = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(12), piece });
  const original = fc.constantFrom(FAIR_QUEUE, FULLER, JSON.stringify({ a: [1, { b: 'x' }] }, null, 2));

  it('is read, or refused with line and column, 20,000 times over', () => {
    const outcomes = { read: 0, refused: 0 };
    fc.assert(
      fc.property(original, fc.array(damage, { minLength: 1, maxLength: 4 }), (text, damages) => {
        const damaged = damages.reduce((whole, { at, length, piece: put }) => {
          const start = Math.floor(at * whole.length);
          return whole.slice(0, start) + put + whole.slice(start + length);
        }, text);
        try {
          readYaml(damaged, 'it');
          outcomes.read++;
        } catch (error) {
          outcomes.refused++;
          expect(error).toBeInstanceOf(EvenshareError);
          const match = /^it: line (\d+), column (\d+): [^\n]+$/.exec(String((error as Error).message));
          expect(match, String(error)).not.toBeNull();
          const lines = damaged.split(/\r\n|\r|\n/);
          const line = lines[Number(match?.[1]) - 1];
          expect(line, String(error)).toBeDefined();
          expect(Number(match?.[2])).toBeLessThanOrEqual((line ?? '').length + 1);
        }
      }),
      parameters(20_000),
    );
    // The damage is neither nothing nor everything.
    expect(outcomes.read).toBeGreaterThan(1_000);
    expect(outcomes.refused).toBeGreaterThan(1_000);
  });
});
