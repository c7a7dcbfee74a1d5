import { describe, expect, test } from 'vitest';
import { type FramedRecord, rawBytes } from '../../../ingest/adapters/adapter.ts';
import { KEPT_BYTES, LineFramer, MAX_BATCH_RECORDS, MAX_LINE_BYTES } from '../../../ingest/sources/line-framing.ts';
import { type Random, seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { brief, randomCuts } from './inputs.ts';

const SEED = 20_260_302;

function frame(chunks: readonly Uint8Array[], isVerbatim = false): FramedRecord[] {
  const framer = new LineFramer({ isVerbatim });
  const records = chunks.flatMap((chunk) => [...framer.push(chunk)].flat());
  return [...records, ...framer.end()];
}
const frameText = (text: string): string[] => frame([Buffer.from(text)]).map(brief);

describe('lines', () => {
  test.each<[string, string[], string]>([
    ['a\nb\n', ['1: a', '2: b'], 'two lines'],
    ['a\r\nb\r\n', ['1: a', '2: b'], 'CRLF'],
    ['a\nb', ['1: a', '2~ b'], 'the last without a newline'],
    ['a\nb\r', ['1: a', '2~ b'], 'the last with half a CRLF'],
    ['\n\na\n \t\n\r\nb\n\n', ['3: a', '6: b'], 'blank lines are dropped and counted'],
    ['\ufeffa\nb\n', ['1: a', '2: b'], 'a BOM'],
    ['\ufeff\na\n', ['2: a'], 'a BOM on a line of its own'],
    ['a\n\ufeffb\n', ['1: a', '2: \ufeffb'], 'a BOM elsewhere stays'],
    ['a\rb\n', ['1: a\rb'], 'a lone CR is no end'],
    ['中\n🦊\n', ['1: 中', '2: 🦊'], 'any Unicode'],
    [' a \n', ['1:  a '], 'blanks around are kept'],
    ['', [], 'nothing'],
    ['\n', [], 'only a newline'],
    ['\ufeff', [], 'only a BOM'],
  ])('%j are %j (%s)', (text, expected) => expect(frameText(text)).toEqual(expected));

  test('verbatim keep blank lines and the CR, for records that span lines', () => {
    expect(frame([Buffer.from('\ufeffa\r\n\n b')], true).map(brief)).toEqual(['1: a\r', '2: ', '3~  b']);
  });

  test('that are no UTF-8 are refused with their exact bytes, and only they', () => {
    const bad = Buffer.from([0x7b, 0xff, 0xfe, 0xc3, 0x0d]);
    const records = frame([Buffer.concat([Buffer.from('a\n'), bad, Buffer.from('\n中\n')])]);
    expect(records.map(brief)).toEqual(['1: a', '2! not_utf8', '3: 中']);
    expect(records[1]).toMatchObject({ raw: Uint8Array.from(bad.subarray(0, 4)) });
  });

  test('of exactly the longest length are read, of one byte more refused', () => {
    const longest = 'x'.repeat(MAX_LINE_BYTES);
    for (const [end, name] of [
      ['\n', 'LF'],
      ['\r\n', 'CRLF'],
      ['', 'none'],
    ] as const) {
      for (const cut of [1000, 262_144, 5_000_000]) {
        const read = (text: string): FramedRecord[] => {
          const bytes = Buffer.from(`a\n${text}${end}`);
          const chunks = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, index) =>
            bytes.subarray(index * cut, (index + 1) * cut),
          );
          return frame(chunks);
        };
        expect(read(longest)[1], `${name}, chunks of ${cut}`).toMatchObject({
          kind: 'record',
          record: { text: longest, line: 2 },
        });
        const refused = read(`y${longest}`)[1];
        expect(refused).toMatchObject({ kind: 'refused', code: 'line_too_long', line: 2 });
        expect(refused).toMatchObject({ detail: expect.stringContaining(`${MAX_LINE_BYTES + 1} bytes`) });
        expect(refused).toMatchObject({ raw: Uint8Array.from(Buffer.from(`y${longest}`.slice(0, KEPT_BYTES))) });
      }
    }
  });

  test('of any length take bounded memory and are told by their length', () => {
    const framer = new LineFramer({ isVerbatim: false });
    const chunk = Buffer.alloc(65_536, 0x61);
    const before = process.memoryUsage().arrayBuffers;
    const batches = [...framer.push(Buffer.from('a\n'))];
    for (let index = 0; index < 16_384; index++) batches.push(...framer.push(chunk));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1_048_576);
    batches.push(...framer.push(Buffer.from('\nb\n')));
    const records = batches.flat();
    expect(records.map(brief)).toEqual(['1: a', '2! line_too_long', '3: b']);
    expect(records[1]).toMatchObject({ detail: expect.stringContaining(`${2 ** 30} bytes`) });
  });

  test('come in batches that stay small, whatever the chunk', () => {
    const framer = new LineFramer({ isVerbatim: false });
    const batches = [...framer.push(Buffer.from('1\n'.repeat(1_000_000)))];
    expect(Math.max(...batches.map((batch) => batch.length))).toBe(MAX_BATCH_RECORDS);
    expect(batches.flat()).toHaveLength(1_000_000);
    expect(batches.flat().at(-1)).toMatchObject({ record: { line: 1_000_000 } });
  });

  test(`are the same however the bytes are cut, and what a whole reading gives (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    for (let trial = 0; trial < 300; trial++) {
      const bytes = randomBytes(random);
      const expected = wholeReading(bytes);
      expect(frame([bytes]).map(brief), `trial ${trial}`).toEqual(expected);
      expect(frame(randomCuts(bytes, random)).map(brief), `trial ${trial}, cut`).toEqual(expected);
      expect(frame(Array.from(bytes, (byte) => Uint8Array.of(byte))).map(brief), `trial ${trial}, bytes`).toEqual(
        expected,
      );
    }
  });

  test('give back their bytes exactly', () => {
    const records = frame([Buffer.from('{"a":"é\\u0000"} \r\n\t中🦊')]);
    const bytes = records.map((item) => (item.kind === 'record' ? Buffer.from(rawBytes(item.record)).toString() : ''));
    expect(bytes).toEqual(['{"a":"é\\u0000"} ', '\t中🦊']);
  });
});

const PIECES = ['a', '{"x":1}', '\n', '\n', '\r\n', '\r', ' ', '\t', '中', '🦊', '\ufeff', '\n\n', 'é'].map((text) =>
  Buffer.from(text),
);
const BAD_PIECES = [
  Buffer.from([0xff]),
  Buffer.from([0xe4, 0xb8]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
];

function randomBytes(random: Random): Buffer {
  const all = random.next() < 0.5 ? PIECES : [...PIECES, ...BAD_PIECES];
  const length = Math.floor(random.next() * 40);
  return Buffer.concat(Array.from({ length }, () => all[Math.floor(random.next() * all.length)] ?? Buffer.alloc(0)));
}

/** The rules applied to the whole input at once, a byte a character. */
function wholeReading(bytes: Buffer): string[] {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const content = Buffer.from(line.replace(/\r$/, ''), 'latin1');
    if (content.toString('latin1').trim() === '' && !/[^\s]/.test(content.toString('utf8'))) return [];
    const decoded = content.toString('utf8');
    if (!Buffer.from(decoded, 'utf8').equals(content)) return [`${index + 1}! not_utf8`];
    if (decoded.trim() === '' && decoded.charCodeAt(0) <= 0x20) return [];
    return [`${index + 1}${index === lines.length - 1 ? '~' : ':'} ${decoded}`];
  });
}
