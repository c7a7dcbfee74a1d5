import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PartitionBuffer } from '../../../ingest/sources/partition-buffer.ts';

interface LiteralMessage {
  readonly offset: number;
  readonly bytes: number;
}

/** Batches by the plain rule, from all messages at once. */
function literalBatches(
  messages: readonly LiteralMessage[],
  maxMessages: number,
  maxBytes: number,
): LiteralMessage[][] {
  const batches: LiteralMessage[][] = [[]];
  for (const message of messages) {
    const last = batches.at(-1) ?? [];
    last.push(message);
    if (last.length >= maxMessages || last.reduce((sum, { bytes }) => sum + bytes, 0) >= maxBytes) batches.push([]);
  }
  return batches.filter((batch) => batch.length > 0);
}

it('cuts messages into batches in order and without a gap, each known by where to go on after it', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 100 }), (given, most, mostBytes) => {
      const buffer = new PartitionBuffer({ maxMessages: most, maxBytes: mostBytes });
      const messages = given.map((bytes, index) => ({ offset: 100 + index, bytes }));
      const read: number[] = [];
      for (const { offset, bytes } of messages) buffer.add(bytes, offset + 1, () => read.push(offset));
      expect(read).toEqual(messages.map(({ offset }) => offset));
      const batches = [];
      for (let batch = buffer.oldest(true); batch !== null; batch = buffer.oldest(true)) {
        batches.push([batch.messages, batch.bytes, batch.nextOffset]);
        buffer.remove();
      }
      expect(batches).toEqual(
        literalBatches(messages, most, mostBytes).map((batch) => [
          batch.length,
          batch.reduce((sum, { bytes }) => sum + bytes, 0),
          (batch.at(-1)?.offset ?? 0) + 1,
        ]),
      );
      expect([buffer.messages, buffer.bytes, buffer.isEmpty, buffer.hasFull]).toEqual([0, 0, true, false]);
    }),
  );
});

it('keeps a batch until it is removed, and an open one until it is asked for', () => {
  const buffer = new PartitionBuffer({ maxMessages: 2, maxBytes: 1_000 });
  for (const offset of [7, 8, 9]) buffer.add(10, offset + 1, () => undefined);
  expect(buffer.oldest(false)).toMatchObject({ messages: 2, nextOffset: 9 });
  expect(buffer.oldest(true)).toMatchObject({ messages: 2, nextOffset: 9 });
  buffer.remove();
  expect(buffer.oldest(false)).toBeNull();
  expect(buffer.messages).toBe(1);
  expect(buffer.oldest(true)).toMatchObject({ messages: 1, nextOffset: 10 });
});

it('carries an offset on where there was nothing to store', () => {
  const buffer = new PartitionBuffer({ maxMessages: 2, maxBytes: 1_000 });
  buffer.add(10, 4, () => undefined);
  buffer.advance(6);
  expect(buffer.oldest(true)).toMatchObject({ messages: 1, nextOffset: 6 });
  buffer.remove();
  buffer.advance(9);
  expect(buffer.isEmpty).toBe(false);
  expect(buffer.oldest(true)).toMatchObject({ messages: 0, nextOffset: 9 });
});
