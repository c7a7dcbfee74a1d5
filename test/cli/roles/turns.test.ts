import { expect, it } from 'vitest';
import { createTurns } from '../../../cli/roles/turns.ts';

it('who comes while another has its turn goes before that one’s next, and a failure ends a turn as well', async () => {
  const turns = createTurns();
  const order: string[] = [];
  let endChunk = (): void => {};
  const chunks = (async () => {
    await turns.take(
      () =>
        new Promise<void>((resolve) => {
          order.push('chunk 1');
          endChunk = resolve;
        }),
    );
    await turns.take(async () => void order.push('chunk 2'));
  })();
  await Promise.resolve();
  const minute = turns.take(async () => {
    order.push('minute');
    throw new Error('its own affair');
  });
  expect(order).toEqual(['chunk 1']);
  endChunk();
  await expect(minute).rejects.toThrow('its own affair');
  await chunks;
  expect(order).toEqual(['chunk 1', 'minute', 'chunk 2']);
});
