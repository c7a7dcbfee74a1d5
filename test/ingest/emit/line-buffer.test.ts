import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LineBatch, LineBuffer } from '../../../ingest/emit/line-buffer.ts';

const LIMITS = { maxBatchEvents: 5, maxBatchBytes: 100, maxBufferedEvents: 20, maxBufferedBytes: 300 };
const line = (bytes: number, key = 'k') => ({ text: '', bytes, key });

type Step =
  | { readonly do: 'add'; readonly bytes: number }
  | { readonly do: 'take' }
  | { readonly do: 'settle'; readonly which: number };

const STEPS = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), bytes: fc.integer({ min: 1, max: 130 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const), which: fc.nat({ max: 5 }) }) },
  ),
  { maxLength: 200 },
);

describe('the buffer of lines', () => {
  it('keeps every line it took in order, once, and never more than it may', () => {
    fc.assert(
      fc.property(STEPS, (steps: readonly Step[]) => {
        const buffer = new LineBuffer(LIMITS);
        const added: string[] = [];
        const taken: string[] = [];
        const sending: LineBatch[] = [];
        const settled = new Set<string>();
        for (const step of steps) {
          if (step.do === 'add') {
            const key = `k${added.length}`;
            const held = added.length - settled.size;
            const isTaken = buffer.add(line(step.bytes, key));
            if (isTaken) added.push(key);
            // A line is refused only where there is no room.
            else
              expect(held >= LIMITS.maxBufferedEvents || buffer.bytes + step.bytes > LIMITS.maxBufferedBytes).toBe(
                true,
              );
          } else if (step.do === 'take') {
            const batch = buffer.take();
            if (batch === null) expect(taken.length).toBe(added.length);
            else {
              expect(batch.firstSequence).toBe(taken.length);
              expect(batch.lines.length).toBeLessThanOrEqual(LIMITS.maxBatchEvents);
              expect(batch.lines.length === 1 || batch.bytes <= LIMITS.maxBatchBytes).toBe(true);
              taken.push(...batch.lines.map(({ key }) => key));
              sending.push(batch);
            }
          } else {
            const [batch] = sending.splice(step.which % Math.max(1, sending.length), 1);
            if (batch === undefined) continue;
            buffer.settle(batch);
            buffer.settle(batch);
            for (const { key } of batch.lines) settled.add(key);
          }
          expect(buffer.events).toBe(added.length - settled.size);
          expect(buffer.events).toBeLessThanOrEqual(LIMITS.maxBufferedEvents);
          expect(buffer.bytes).toBeLessThanOrEqual(LIMITS.maxBufferedBytes);
          const firstUnsettled = added.findIndex((key) => !settled.has(key));
          expect(buffer.settledUpTo).toBe(firstUnsettled < 0 ? added.length : firstUnsettled);
          expect(taken).toEqual(added.slice(0, taken.length));
        }
      }),
      { numRuns: 500 },
    );
  });
});
