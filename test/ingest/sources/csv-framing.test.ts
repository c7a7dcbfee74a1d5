import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { FramedRecord } from '../../../ingest/adapters/adapter.ts';
import { csvCells } from '../../../ingest/sources/csv-cells.ts';
import { CsvFramer } from '../../../ingest/sources/csv-framing.ts';
import { seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { randomCuts } from './inputs.ts';

const SEED = 20_260_302;

function frame(chunks: readonly Uint8Array[], delimiter = ','): { columns: readonly string[]; rows: FramedRecord[] } {
  let columns: readonly string[] = [];
  const onHeader = (header: readonly string[]): void => {
    columns = header;
  };
  const framer = new CsvFramer({ delimiter, onHeader, where: '"x.csv"' });
  const rows = chunks.flatMap((chunk) => [...framer.push(chunk)].flat());
  return { columns, rows: [...rows, ...framer.end()] };
}
const frameText = (text: string, delimiter = ',') => frame([Buffer.from(text)], delimiter);
/** `line: cells` or `line! code`. */
const brief = (item: FramedRecord): string =>
  item.kind === 'refused'
    ? `${item.line}! ${item.code}`
    : `${item.record.line}: ${JSON.stringify(Object.values(item.record.fields ?? {}))}`;

describe('cells', () => {
  test.each<[string, readonly string[] | null]>([
    ['a,b', ['a', 'b']],
    ['', ['']],
    [',', ['', '']],
    ['"a",b', ['a', 'b']],
    ['"a,b",""', ['a,b', '']],
    ['"a""b"', ['a"b']],
    ['""""', ['"']],
    ['"a\nb",c', ['a\nb', 'c']],
    [' a , b ', [' a ', ' b ']],
    ['a"b,c', null],
    ['"a"b,c', null],
    ['"a', null],
    ['"a""', null],
    ['a,"', null],
  ])('%j are %j', (text, cells) => expect(csvCells(text, ',')).toEqual(cells));

  test(`are what a general parser reads (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    const pieces = ['a', '"', '""', ',', ';', ' ', '\n', '中', 'x,y', '"a"', '"",""'];
    let agreed = 0;
    for (let trial = 0; trial < 5000; trial++) {
      const text = Array.from(
        { length: 1 + Math.floor(random.next() * 8) },
        () => pieces[Math.floor(random.next() * pieces.length)],
      ).join('');
      let expected: readonly string[] | null;
      try {
        const rows: string[][] = parse(text, { record_delimiter: ['\r\r'], relax_column_count: true });
        expected = rows[0] ?? [''];
      } catch {
        expected = null;
      }
      expect(csvCells(text, ','), JSON.stringify(text)).toEqual(expected);
      if (expected !== null) agreed++;
    }
    expect(agreed).toBeGreaterThan(500);
  });
});

describe('rows', () => {
  test('have the fields of the header and their text as it stood', () => {
    const { columns, rows } = frameText('\ufeffid, tenant ,cost\r\n1,"a,b",2\r\n\r\n2,"say ""hi""",\r\n');
    expect(columns).toEqual(['id', 'tenant', 'cost']);
    expect(rows).toEqual([
      { kind: 'record', record: { text: '1,"a,b",2', fields: { id: '1', tenant: 'a,b', cost: '2' }, line: 2 } },
      {
        kind: 'record',
        record: { text: '2,"say ""hi""",', fields: { id: '2', tenant: 'say "hi"', cost: '' }, line: 4 },
      },
    ]);
  });

  test('may span lines inside quotes, blank ones too', () => {
    const { rows } = frameText('id,note\n1,"a\r\n\nb"\n2,c\n');
    expect(rows.map(brief)).toEqual(['2: ["1","a\\r\\n\\nb"]', '5: ["2","c"]']);
  });

  test('may be cut at another character, and have a column without a name', () => {
    expect(frameText('id;\n"1;2";x\n', ';').rows.map(brief)).toEqual(['2: ["1;2"]']);
    expect(frameText('id\ttenant\n1\ta b\n', '\t').rows.map(brief)).toEqual(['2: ["1","a b"]']);
  });

  test('with too few or too many cells are refused with their bytes', () => {
    const { rows } = frameText('id,tenant\n1\n1,2,3\r\n1,2\n');
    expect(rows.map(brief)).toEqual(['2! wrong_columns', '3! wrong_columns', '4: ["1","2"]']);
    const [, refused] = rows;
    expect(refused?.kind === 'refused' ? Buffer.from(refused.raw).toString() : '').toBe('1,2,3');
    expect(refused).toMatchObject({
      detail: expect.stringContaining('3 cells where the header has 2'),
    });
  });

  test('cut off at the end are torn; whole ones without a newline are read', () => {
    expect(frameText('id,tenant\n1,2\n1,').rows.map(brief)).toEqual(['2: ["1","2"]', '3: ["1",""]']);
    expect(frameText('id,tenant\n1,2\n1').rows.map(brief)).toEqual(['2: ["1","2"]', '3! torn_line']);
    expect(frameText('id,tenant\n1,2\n1,"a').rows.map(brief)).toEqual(['2: ["1","2"]', '3! torn_line']);
  });

  test('one stray quote costs one row, not the rest of the file', () => {
    expect(frameText('id,size\n1,5" disk\n2,b\n3,c\n').rows.map(brief)).toEqual([
      '2! wrong_columns',
      '3: ["2","b"]',
      '4: ["3","c"]',
    ]);
    expect(frameText('id,size\n1,"open\n2,b\n3,5" x\n4,d\n').rows.map(brief)).toEqual([
      '2! wrong_columns',
      '3: ["2","b"]',
      '4! wrong_columns',
      '5: ["4","d"]',
    ]);
    const many = frameText(`id,size\n1,"open\n${'2,b\n'.repeat(20_000)}`).rows;
    expect(many.map(brief).slice(0, 2)).toEqual(['2! wrong_columns', '3: ["2","b"]']);
    expect(many).toHaveLength(20_001);
  });

  test('a line that is no UTF-8 is refused, and ends a quoted cell that is open', () => {
    const bytes = Buffer.concat([Buffer.from('id,note\n1,"a\n'), Buffer.from([0xff]), Buffer.from('\n2,b\n')]);
    expect(frame([bytes]).rows.map(brief)).toEqual(['2! wrong_columns', '3! not_utf8', '4: ["2","b"]']);
  });

  test.each([
    ['id,tenant,id\n1,2,3\n', 'id twice'],
    ['id,__proto__\n1,2\n', '__proto__'],
  ])('a header such as %j is refused', (text, why) => {
    expect(() => frameText(text)).toThrow(
      expect.objectContaining({ code: 'EVS_INPUT_FORMAT', message: expect.stringContaining(why) }),
    );
  });

  test(`are what a general parser reads, however the bytes are cut (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    const cells = ['', 'a', 'x y', 'a,b', 'say "hi"', 'two\nlines', 'cr\r\nlf', '中🦊', '"', '\n\n', ' '];
    for (let trial = 0; trial < 300; trial++) {
      const end = random.next() < 0.5 ? '\n' : '\r\n';
      const quoted = (cell: string): string =>
        /[",\n\r]/.test(cell) || random.next() < 0.3 ? `"${cell.replaceAll('"', '""')}"` : cell;
      const rows = Array.from({ length: 1 + Math.floor(random.next() * 12) }, () =>
        Array.from({ length: 3 }, () => cells[Math.floor(random.next() * cells.length)] ?? ''),
      ).filter((row) => row.some((cell) => cell.trim() !== ''));
      const text = ['x,y,z', ...rows.map((row) => row.map(quoted).join(','))].join(end) + end;
      const bytes = Buffer.from(text);
      const expected: string[][] = parse(text, { from: 2, record_delimiter: ['\r\n', '\n'] });
      for (const chunks of [[bytes], randomCuts(bytes, random), Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
        const read = frame(chunks).rows.map((item) =>
          item.kind === 'record' ? Object.values(item.record.fields ?? {}) : item.detail,
        );
        expect(read, `trial ${trial}: ${JSON.stringify(text)}`).toEqual(expected);
      }
    }
  });
});
