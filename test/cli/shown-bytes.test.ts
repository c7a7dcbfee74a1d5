import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownBytes } from '../../cli/shown-bytes.ts';

describe('bytes of strangers', () => {
  it.each([
    [Buffer.from('{"a":1}'), '{"a":1}'],
    [Buffer.from('中文🦊'), '中文🦊'],
    [Buffer.from('\u001b[2J\r\n\u202e'), '\\u{1b}[2J\\u{d}\\u{a}\\u{202e}'],
    [Buffer.from([0x41, 0xff, 0x00, 0x1b]), 'A\\xff\\x00\\x1b'],
    [Buffer.of(), ''],
  ])('%o are shown as %s', (bytes, shown) => {
    expect(shownBytes(bytes, 100)).toBe(shown);
  });

  it('are cut between characters, and what is left out is told', () => {
    expect(shownBytes(Buffer.from('中文🦊'), 8)).toBe('中文… and 4 bytes more');
    expect(shownBytes(Buffer.from([0xff, 0xfe, 0xfd]), 2)).toBe('\\xff\\xfe… and 1 bytes more');
  });

  it('hold nothing that a terminal obeys, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(64), (bytes, max) => {
        expect(shownBytes(bytes, max)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
