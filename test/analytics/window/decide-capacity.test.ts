import { describe, expect, it } from 'vitest';
import { decideCapacity } from '../../../analytics/window/decide-capacity.ts';

const WINDOW_MS = 60_000;
const declared = (slots: number | null, perS: number | null = null) => ({ slots, perS, changed: false });
const idle = { servedCost: 0, busyMs: 0, earlierWorkPerBusyMs: null, saturatedServedCosts: [] };

describe('the capacity of a window', () => {
  it.each([
    {
      why: 'slots at the speed at which they worked',
      of: declared(2),
      service: { ...idle, servedCost: 30, busyMs: 60_000 },
      cost: 60,
      basis: 'measured',
    },
    {
      why: 'slots all busy',
      of: declared(2),
      service: { ...idle, servedCost: 60, busyMs: 120_000 },
      cost: 60,
      basis: 'measured',
    },
    {
      why: 'busier than declared',
      of: declared(2),
      service: { ...idle, servedCost: 90, busyMs: 180_000 },
      cost: 90,
      basis: 'observed',
    },
    {
      why: 'busier by the rounding of milliseconds',
      of: declared(2),
      service: { ...idle, servedCost: 60, busyMs: 120_060 },
      cost: 60,
      basis: 'measured',
    },
    {
      why: 'nothing in service: the speed of earlier',
      of: declared(2),
      service: { ...idle, earlierWorkPerBusyMs: 0.001 },
      cost: 120,
      basis: 'measured',
    },
    { why: 'nothing ever in service', of: declared(2), service: idle, cost: null, basis: 'unknown' },
    {
      why: 'service that cost nothing',
      of: declared(2),
      service: { ...idle, busyMs: 60_000 },
      cost: 0,
      basis: 'measured',
    },
    {
      why: 'no slot at all',
      of: declared(0),
      service: { ...idle, earlierWorkPerBusyMs: 0.001 },
      cost: 0,
      basis: 'measured',
    },
    {
      why: 'no slot declared and yet service',
      of: declared(0),
      service: { ...idle, servedCost: 1, busyMs: 500 },
      cost: 1,
      basis: 'observed',
    },
    {
      why: 'a configured rate, whatever was served',
      of: declared(2, 2.5),
      service: { ...idle, servedCost: 900, busyMs: 60_000 },
      cost: 150,
      basis: 'configured',
    },
    {
      why: 'undeclared: the most that was served under pressure',
      of: declared(null),
      service: { ...idle, saturatedServedCosts: [40, 70, 55] },
      cost: 70,
      basis: 'inferred',
    },
    {
      why: 'undeclared and never under pressure',
      of: declared(null),
      service: { ...idle, servedCost: 30, busyMs: 60_000 },
      cost: null,
      basis: 'unknown',
    },
  ])('$why: $cost, $basis', ({ of, service, cost, basis }) => {
    const found = decideCapacity(of, service, WINDOW_MS);
    expect(found.basis).toBe(basis);
    // A full pool may look busier than it is by the rounding of its times, and its capacity with it.
    if (cost === null) expect(found.cost).toBeNull();
    else expect(Math.abs((found.cost ?? Number.NaN) - cost)).toBeLessThanOrEqual(1e-3 * cost);
  });
});
