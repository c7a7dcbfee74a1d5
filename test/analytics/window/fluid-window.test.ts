import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fluidWindow } from '../../../analytics/window/fluid-window.ts';
import { TenantNumbers } from '../../../analytics/window/tenant-numbers.ts';
import type { FluidSpan } from '../../../scheduler-core/index.ts';

const TENANTS = 40;
const names = Array.from({ length: TENANTS }, (_, number) => `t${String(number).padStart(2, '0')}`);

/** Every figure says whose it is and which; 0 of those that the span has nothing of. */
function spanOf(touched: readonly number[]): FluidSpan {
  const column = (figure: number): Float64Array => {
    const values = new Float64Array(TENANTS);
    for (const tenant of touched) values[tenant] = figure + tenant / 100;
    return values;
  };
  return {
    span: 0,
    ideal: column(1),
    served: column(2),
    maxLag: column(3),
    lagSum: column(4),
    backlog: column(5),
    gps: {
      served: column(6),
      refused: column(7),
      lagBefore: column(8),
      maxLag: column(9),
      excess: column(10),
      aheadBefore: column(11),
      backlog: column(12),
    },
    touched: Int32Array.from(touched),
    contended: true,
  };
}

function windowOf(span: FluidSpan, present: readonly string[]) {
  const tenants = present.map((tenant) => ({ tenant }));
  return fluidWindow(span, { decided: { tenants }, numbers: new TenantNumbers(names), stepMs: 1000, workPerBusyMs: 1 });
}

function overwrite({ gps, touched, span, contended, ...columns }: FluidSpan): void {
  for (const column of [...Object.values(columns), ...Object.values(gps), touched]) column.fill(-1);
}

describe('a window in the fluid model', () => {
  it('keeps the figures of every tenant of the span when its arrays are used again', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: TENANTS - 1 })), fc.shuffledSubarray(names), (tenants, asked) => {
        const touched = tenants.sort((a, b) => a - b);
        const span = spanOf(touched);
        const window = windowOf(span, names);
        overwrite(span);
        for (const name of [...asked, 'nobody', ...names]) {
          const number = names.indexOf(name);
          const part = number / 100;
          const is = touched.includes(number);
          const figure = (value: number): number => (is ? value + part : 0);
          expect(window.of(name)).toEqual({
            ideal: figure(1),
            served: figure(2),
            maxLag: figure(3),
            excessWaitMs: is ? ((4 + part) * 1000) / (1 + part) : null,
            backlog: figure(5),
            gps: {
              served: figure(6),
              refused: figure(7),
              lagBefore: figure(8),
              maxLag: figure(9),
              excess: figure(10),
              aheadBefore: figure(11),
              backlog: figure(12),
            },
          });
        }
      }),
    );
  });

  it('names the worst off and the furthest behind among the tenants of the window, the first of equals', () => {
    const window = windowOf(spanOf([3, 5, 9]), ['t03', 't05', 't09', 't20']);
    // Served 2 and a part of ideally 1 and that part: the larger the part, the worse.
    expect(window.minNormalizedShare).toEqual({ value: 2.09 / 1.09, tenant: 't09' });
    expect(window.maxLag).toEqual({ value: 3.09, tenant: 't09' });
    const same = spanOf([3, 5]);
    for (const column of [same.ideal, same.served, same.maxLag]) column.fill(1, 3, 6);
    const equals = windowOf(same, ['t03', 't05']);
    expect([equals.minNormalizedShare?.tenant, equals.maxLag?.tenant, equals.jainIndex]).toEqual(['t03', 't03', 1]);
    expect(windowOf(spanOf([]), names)).toMatchObject({ jainIndex: null, minNormalizedShare: null, maxLag: null });
  });

  it('keeps what is due to tenants that had no request in the window', () => {
    const window = windowOf(spanOf([3, 5, 9]), ['t05', 'unknown']);
    expect([...window.absentDueBacklogs]).toEqual([
      ['t03', 12.03],
      ['t09', 12.09],
    ]);
  });
});
