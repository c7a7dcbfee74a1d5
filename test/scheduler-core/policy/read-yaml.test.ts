import { describe, expect, it } from 'vitest';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { readYaml } from '../../../scheduler-core/policy/read-yaml.ts';

const map = (...entries: readonly (readonly [string, unknown])[]) => new Map(entries);

describe('a YAML text', () => {
  it.each([
    ['', null, 'nothing is null'],
    ['# only a comment\n\n', null, 'so is a comment'],
    ['---\n', null, 'or a document without a body'],
    ['\ufeffa: 1', map(['a', 1]), 'a byte order mark says nothing'],
    ['--- # policy\na: 1\n...\n# end\n', map(['a', 1]), 'a document may be marked'],
    ['a: 1\r\nb: 2\rc: 3', map(['a', 1], ['b', 2], ['c', 3]), 'lines end in any way'],
    ['a:\nb: ~', map(['a', null], ['b', null]), 'nothing after a key is null'],
    ['a:\n  b: 1\n\n  # c\n  c: 2\nd: 3', map(['a', map(['b', 1], ['c', 2])], ['d', 3]), 'blocks nest by indentation'],
    ['a:\n- 1\n- 2\nb: 3', map(['a', [1, 2]], ['b', 3]), 'a list may stand under its key'],
    ['a:\n  - 1\n  -\n  - x: 1\n    y: 2', map(['a', [1, null, map(['x', 1], ['y', 2])]]), 'or be indented'],
    ['- - 1\n  - 2\n-\n  - 3', [[1, 2], [3]], 'lists in lists'],
    ['-   a: 1\n    b: 2\n- c', [map(['a', 1], ['b', 2]), 'c'], 'a mapping begins behind the dash'],
    ['{ a: [1, 2,], "b":3, c: , d: {}, }', map(['a', [1, 2]], ['b', 3], ['c', null], ['d', map()]), 'brackets'],
    ['a: [\n  1, # one\n\t2\n]\nb: 1', map(['a', [1, 2]], ['b', 1]), 'brackets over several lines'],
    [
      '{\n\t"a": {"b": [true, null, 1e3, "\\ud83d\\ude00\\/"]}\n}',
      map(['a', map(['b', [true, null, 1000, '😀/']])]),
      'JSON',
    ],
    ["\"a\": 'it''s'\n'b' : \"x\\ty\\x41\\u00e9\\U0001F600\\N\"", map(['a', "it's"], ['b', 'x\tyAé😀\x85']), 'quotes'],
    ['a: b#c # d', map(['a', 'b#c']), 'a comment needs a space before it'],
    ['a: http://x:80/?q=[1]', map(['a', 'http://x:80/?q=[1]']), 'a plain text may hold signs'],
    ['a: queue_water > 0.7', map(['a', 'queue_water > 0.7']), 'and spaces'],
    ['a: -1\nb: - 1'.slice(0, 5), map(['a', -1]), 'a minus is no dash'],
    ['- -1\n- ?x\n- :y', [-1, '?x', ':y'], 'signs with something behind them are text'],
    ['007: 1\n1e3: 2\ntrue: 3', map(['007', 1], ['1e3', 2], ['true', 3]), 'keys are the text as written'],
    ['__proto__: 1\nconstructor: 2', map(['__proto__', 1], ['constructor', 2]), 'no key is special'],
    ['a : 1', map(['a', 1]), 'spaces before the colon'],
    ['a:\t1\t# x', map(['a', 1]), 'tabs may separate'],
    ['\u00a0a: \u2003', map(['\u00a0a', '\u2003']), 'only space and tab are white'],
  ])('%j: %s', (text, expected, _why) => {
    expect(readYaml(text, 'it')).toEqual(expected);
  });

  it.each([
    ['0', 0],
    ['-0', -0],
    ['+12', 12],
    ['007', 7],
    ['0o17', 15],
    ['0xfF', 255],
    ['1.', 1],
    ['.5', 0.5],
    ['-1.5e-3', -0.0015],
    ['.inf', Number.POSITIVE_INFINITY],
    ['-.INF', Number.NEGATIVE_INFINITY],
    ['.NaN', Number.NaN],
    ['NULL', null],
    ['True', true],
    ['FALSE', false],
    ['yes', 'yes'],
    ['0x', '0x'],
    ['1_000', '1_000'],
    ['1e', '1e'],
    ['12:30', '12:30'],
    ['nUll', 'nUll'],
    ['.', '.'],
    ['5s', '5s'],
  ])('reads the scalar %s by the core schema', (text, expected) => {
    expect(readYaml(text, 'it')).toBe(expected);
  });

  it.each([
    ['a: &x 1', 1, 4, 'anchors'],
    ['a: *x', 1, 4, 'aliases'],
    ['a: !!str 1', 1, 4, 'tags'],
    ['a: |\n  x', 1, 4, 'block texts'],
    ['a: >-\n  x', 1, 4, 'block texts'],
    ['%YAML 1.2\n---\na: 1', 1, 1, 'directives'],
    ['a: 1\n---\nb: 2', 2, 1, 'a second document'],
    ['a: 1\n...\nb: 2', 3, 1, 'belongs to nothing'],
    ['--- a: 1', 1, 5, 'the line after ---'],
    ['? a\n: 1', 1, 1, 'keys of several lines'],
    ['a:\n\tb: 1', 2, 1, 'a tab cannot indent'],
    ['a:\n  \tb: 1', 2, 3, 'a tab cannot indent'],
    ['-\ta: 1', 1, 2, 'a tab'],
    ['a: 1\na: 2', 2, 1, 'the key "a" stands twice'],
    ['{a: 1,\n "a": 2}', 2, 2, 'the key "a" stands twice'],
    ['a: b: c', 1, 5, 'the line after its key'],
    ['a: - b', 1, 4, 'a list of lines cannot begin here'],
    ['a: 1\n  b: 2', 2, 3, 'indented further'],
    ['a: text\n  goes on', 2, 3, 'several lines'],
    ['a:\n    b: 1\n  c: 2', 3, 3, 'indented further'],
    ['  a: 1\nb: 2', 2, 1, 'belongs to nothing'],
    ['a: 1\n- b', 2, 1, 'a list item stands where a key'],
    ['- a\nb: 1', 2, 1, 'belongs to nothing'],
    ['- a\n  - b', 2, 3, 'indented further'],
    ['a: 1\nb', 2, 2, 'needs ": "'],
    ['"a":1', 1, 4, 'a list or mapping cannot be a key'],
    ['a: "x" y', 1, 8, 'nothing more'],
    ['a: "x"#y', 1, 7, 'nothing more'],
    ['a: [1] x', 1, 8, 'nothing more'],
    ['[a]: 1', 1, 4, 'cannot be a key'],
    ['a: "x\n  y"', 1, 4, 'must end on the line'],
    ["a: 'x", 1, 4, 'must end on the line'],
    ['a: "\\q"', 1, 5, '\\q is no escape'],
    ['a: "\\u12"', 1, 5, 'needs 4 digits'],
    ['a: "\\U00110000"', 1, 5, 'needs 8 digits'],
    ['a: [1, 2', 1, 4, 'is not closed'],
    ['a: {b: 1', 1, 4, 'is not closed'],
    ['a: [1 2, 3', 1, 4, 'is not closed'],
    ['a: [1, , 2]', 1, 8, 'nothing stands before the comma'],
    ['a: [b: 1]', 1, 6, 'a pair in a list'],
    ['a: {b}', 1, 6, 'needs ": "'],
    ['a: {b:1}', 1, 8, 'needs ": "'],
    ['a: {[b]: 1}', 1, 5, 'cannot be a key'],
    ['a: [1}', 1, 6, 'a comma or ]'],
    ['a: ]', 1, 4, 'nothing is open'],
    ['a: [#x]', 1, 5, 'a comment needs a space'],
    ['a: @x', 1, 4, 'needs quotes'],
    [': 1', 1, 1, 'nothing stands before the colon'],
    ['a: 1\nb: \0', 2, 4, 'a control character'],
    [`${'['.repeat(100)}`, 1, 66, 'more than 64 levels'],
    [`${'- '.repeat(100)}x`, 1, 131, 'more than 64 levels'],
  ])('refuses %j at line %i, column %i: %s', (text, line, column, reason) => {
    const read = () => readYaml(text, 'policy "x.yaml"');
    expect(read).toThrow(EvenshareError);
    expect(read).toThrow(`policy "x.yaml": line ${line}, column ${column}: `);
    expect(read).toThrow(reason);
  });

  it('is refused when it is too long to be a policy', () => {
    expect(() => readYaml(' '.repeat(2 ** 24 + 1), 'it')).toThrow('it: line 1, column 1: the text is longer than');
  });

  it('of a hundred thousand lines is read in linear time', () => {
    const text = Array.from({ length: 100_000 }, (_, index) => `  tenant-${index}: ${index}`).join('\n');
    const value = readYaml(`weights:\n${text}`, 'it');
    expect(value instanceof Map && value.get('weights')?.size).toBe(100_000);
  });
});
