export const NOW_MS = 1_790_848_800_000;

const line = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ tenant: 'a', arrived_at: NOW_MS, ...fields });
/** A line that is an event. */
export const event = (id: string, fields: Readonly<Record<string, unknown>> = {}): string =>
  line({ request_id: id, ...fields });

/** A log as real ones are: every line with what becomes of it. */
export const ODDITIES: readonly { readonly text: string | Buffer; readonly becomes: string; readonly why: string }[] = [
  { text: `\uFEFF${event('bom')}`, becomes: 'accepted', why: 'a byte order mark at the start' },
  { text: `${event('crlf')}\r`, becomes: 'accepted', why: 'the line end of another system' },
  { text: '', becomes: 'nothing', why: 'a blank line' },
  { text: '   ', becomes: 'nothing', why: 'a line of blanks' },
  { text: event('hostile', { tenant: "x'; DROP TABLE requests; --" }), becomes: 'accepted', why: 'a name is a name' },
  { text: event('fox', { tenant: '🦊 中文', pool: '..' }), becomes: 'accepted', why: 'of any script' },
  { text: event('rollup', { tenant: '__other__' }), becomes: 'accepted', why: 'even that of an aggregate' },
  {
    text: event('rfc', { arrived_at: '2026-10-01T12:00:00.000+02:00' }),
    becomes: 'accepted',
    why: 'another way to say when',
  },
  { text: event('extra', { shard: 7 }), becomes: 'accepted', why: 'an unknown field is kept' },
  { text: event('twice'), becomes: 'accepted', why: 'an event' },
  { text: event('twice'), becomes: 'duplicate', why: 'the same event again' },
  { text: event('twice', { tenant: 'b' }), becomes: 'conflict', why: 'its id with another tenant' },
  { text: event('skewed', { dispatched_at: NOW_MS - 5 }), becomes: 'skewed', why: 'clocks that disagree' },
  { text: event('old', { arrived_at: '1999-12-31T23:59:59Z' }), becomes: 'accepted', why: 'files may be of any age' },
  {
    text: '{"schema":"evenshare.pool.v1","pool":"default","at":1790848800000,"slots":8}',
    becomes: 'pool',
    why: 'a pool announces itself',
  },
  { text: '{"request_id":', becomes: 'not_json', why: 'half a line' },
  { text: '[1,2]', becomes: 'not_object', why: 'no object' },
  { text: line({}), becomes: 'missing_field', why: 'no id' },
  { text: event('no-tenant', { tenant: null }), becomes: 'missing_field', why: 'no tenant' },
  {
    text: event('seconds', { arrived_at: 1_790_848_800 }),
    becomes: 'time_unit',
    why: 'seconds where milliseconds are meant',
  },
  { text: event('rejected', { outcome: 'rejected' }), becomes: 'missing_field', why: 'a refusal without its reason' },
  {
    text: event('reason', { outcome: 'rejected', reason: 'mood' }),
    becomes: 'unknown_value',
    why: 'an unknown reason',
  },
  {
    text: event('big').replace('}', ',"input_tokens":9007199254740993}'),
    becomes: 'number_precision',
    why: 'more than a double holds',
  },
  { text: event('long', { tenant: 'x'.repeat(129) }), becomes: 'value_too_long', why: 'a name over its limit' },
  { text: event('control', { tenant: 'a\u0000b' }), becomes: 'control_character', why: 'a control character' },
  { text: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), becomes: 'not_utf8', why: 'no UTF-8' },
  { text: `{"pad":"${'x'.repeat(10_000_000)}"}`, becomes: 'line_too_long', why: 'ten megabytes in one line' },
  { text: event('last').slice(0, -1), becomes: 'torn_line', why: 'the file was cut off as it was written' },
];

/** All of it, the last line without its end. */
export const BYTES = Buffer.concat(
  ODDITIES.flatMap(({ text }, index) => [
    Buffer.from(index === 0 ? '' : '\n'),
    typeof text === 'string' ? Buffer.from(text) : text,
  ]),
);
/** The lines that become dead letters. */
export const REJECTS = ODDITIES.filter(
  ({ becomes }) => !['accepted', 'nothing', 'duplicate', 'conflict', 'skewed', 'pool'].includes(becomes),
);
