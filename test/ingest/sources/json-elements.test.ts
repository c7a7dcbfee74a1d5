import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonElements } from '../../../ingest/sources/json-elements.ts';

const cut = (json: string): string[] =>
  jsonElements(Buffer.from(json)).map((element) => Buffer.from(element).toString());

test.each([
  ['[]', []],
  [' [ \n] ', []],
  ['[1]', ['1']],
  ['[ 1 ,\t"," , [2,[3]],{"a":[4]}\r\n]', ['1', '","', '[2,[3]]', '{"a":[4]}']],
  ['["\\"],[\\\\", "\\\\"]', ['"\\"],[\\\\"', '"\\\\"']],
  ['["🦊", "中文"]', ['"🦊"', '"中文"']],
  ['  {"a": [1, 2]}\n', ['{"a": [1, 2]}']],
  ['"[1,2]"', ['"[1,2]"']],
])('%j is cut into %j', (json, elements) => {
  expect(cut(json)).toEqual(elements);
});

test('elements are what a parser finds, however the text is spaced', () => {
  const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });
  const element = fc.tuple(fc.jsonValue({ maxDepth: 4 }), blank, blank, fc.constantFrom(undefined, 2));
  fc.assert(
    fc.property(fc.array(element), (elements) => {
      const texts = elements.map(
        ([value, before, after, indent]) => before + JSON.stringify(value, null, indent) + after,
      );
      const json = `[${texts.join(',')}]`;
      const parsed: unknown = JSON.parse(json);
      expect(cut(json)).toEqual(texts.map((text) => text.trim()));
      expect(cut(json).map((text) => JSON.parse(text))).toEqual(parsed);
    }),
    { seed: 20_261_129, numRuns: 500 },
  );
});
