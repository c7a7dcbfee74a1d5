import { describe, expect, it } from 'vitest';
import {
  decideTenantVerdict,
  decideWindowVerdict,
  otherCauses,
  unknownReasons,
} from '../../../analytics/window/decide-verdicts.ts';

const balance = {
  due: 100,
  lag: 0,
  refusedDue: 0,
  excess: 0,
  netExcess: 0,
  aheadBefore: 0,
  demand: 100,
  lateBefore: 0,
  lateAfter: 0,
  quotaRefusedCost: 0,
  relativeWeight: 1,
};
/** Costs next to nothing, so that the 3% decide. */
const FINE = { slots: 1, largestCost: 0 };
/** B = 10 for a tenant of mean weight: 7 slots, one request of its own, a turn of two. */
const COARSE = { slots: 7, largestCost: 1 };

describe('the verdict on a tenant', () => {
  it.each([
    { why: 'served what it was due', given: {}, verdict: 'fair' },
    { why: 'late by less than 3% of its due', given: { lag: 3 }, verdict: 'fair' },
    { why: 'late by exactly that, but for the last bits', given: { lag: 3 * (1 + 1e-12) }, verdict: 'fair' },
    { why: 'late by more', given: { lag: 3.1 }, verdict: 'short' },
    { why: 'late by more than turns take', given: { lag: 11 }, pool: COARSE, verdict: 'short' },
    { why: 'late by no more than turns take', given: { lag: 10 }, pool: COARSE, verdict: 'fair' },
    { why: 'late by a longer turn of its own', given: { lag: 14, relativeWeight: 3 }, pool: COARSE, verdict: 'fair' },
    { why: 'served 3% more', given: { netExcess: 3 }, verdict: 'fair' },
    { why: 'served more than that', given: { netExcess: 3.1 }, verdict: 'over' },
    { why: 'served though nothing was due', given: { due: 0, netExcess: 1, demand: 0 }, verdict: 'over' },
    { why: 'ahead for a part of the window', given: { excess: 21 }, pool: COARSE, verdict: 'over' },
    { why: 'ahead for a part by twice what turns take', given: { excess: 20 }, pool: COARSE, verdict: 'fair' },
    { why: 'short before over', given: { lag: 50, netExcess: 50 }, verdict: 'short' },
    { why: 'over before capped', given: { netExcess: 50, quotaRefusedCost: 5 }, verdict: 'over' },
    { why: 'stopped by its own quota only', given: { quotaRefusedCost: 5 }, verdict: 'capped' },
    {
      why: 'late and refused a little each, while others had more',
      given: { lag: 2, refusedDue: 2 },
      anyOver: true,
      verdict: 'short',
    },
    { why: 'short, and stopped by its quota', given: { lag: 50, quotaRefusedCost: 5 }, verdict: 'short' },
    { why: 'refused what was due, and nobody had more', given: { refusedDue: 50 }, verdict: 'fair' },
    { why: 'refused what was due while others had more', given: { refusedDue: 50 }, anyOver: true, verdict: 'short' },
    { why: 'nothing asked for', given: { due: 0, demand: 0 }, verdict: 'idle' },
    {
      why: 'nothing asked for, and late work of earlier',
      given: { due: 0, demand: 0, lateAfter: 1 },
      verdict: 'fair',
    },
    {
      why: 'nothing asked for, and late work of earlier that is done now',
      given: { due: 0, demand: 0, lateBefore: 1 },
      verdict: 'fair',
    },
    { why: 'no share can be known', given: { due: null, lag: 50 }, verdict: 'unknown' },
  ])('$why: $verdict', ({ given, pool = FINE, anyOver = false, verdict }) => {
    expect(decideTenantVerdict({ ...balance, ...given }, pool, anyOver)).toBe(verdict);
  });
});

const evidence = {
  attempts: 1_000,
  tenantsAbsent: 0,
  waitsAbsent: 0,
  conflicts: 0,
  coverageRatio: null,
  capacityKnown: true,
  demandExceedsCapacity: false,
  anyShort: false,
};

describe('the verdict on a window', () => {
  it.each([
    { why: 'demand was met', given: {}, reasons: [], verdict: 'uncontended' },
    {
      why: 'demand was not, and all got their part',
      given: { demandExceedsCapacity: true },
      reasons: [],
      verdict: 'fair',
    },
    {
      why: 'somebody is short',
      given: { demandExceedsCapacity: true, anyShort: true },
      reasons: [],
      verdict: 'unfair',
    },
    { why: 'somebody is short though there was room', given: { anyShort: true }, reasons: [], verdict: 'unfair' },
    { why: 'one in a thousand conflicts', given: { conflicts: 1 }, reasons: [], verdict: 'uncontended' },
    { why: 'two in a thousand', given: { conflicts: 2, anyShort: true }, reasons: ['conflicts'], verdict: 'unknown' },
    { why: 'no tenants', given: { tenantsAbsent: 1_000 }, reasons: ['no_tenants'], verdict: 'unknown' },
    { why: 'no waits', given: { waitsAbsent: 1_000 }, reasons: ['no_waits'], verdict: 'unknown' },
    { why: 'no capacity', given: { capacityKnown: false }, reasons: ['no_capacity'], verdict: 'unknown' },
    { why: 'nothing lost', given: { coverageRatio: 0.999 }, reasons: [], verdict: 'uncontended' },
    { why: 'two in a thousand lost', given: { coverageRatio: 0.998 }, reasons: ['coverage'], verdict: 'unknown' },
    {
      why: 'no request arrived: nothing is absent',
      given: { attempts: 0, conflicts: 0 },
      reasons: [],
      verdict: 'uncontended',
    },
    {
      why: 'everything is missing',
      given: { tenantsAbsent: 9, waitsAbsent: 9, conflicts: 9, capacityKnown: false },
      reasons: ['no_tenants', 'no_waits', 'no_capacity', 'conflicts'],
      verdict: 'unknown',
    },
  ])('$why: $verdict', ({ given, reasons, verdict }) => {
    const known = { ...evidence, ...given };
    expect(unknownReasons(known)).toEqual(reasons);
    expect(decideWindowVerdict(known, reasons)).toBe(verdict);
  });
});

describe('what short tenants lost to, beside those served over their share', () => {
  const grievance = {
    overServedTenants: 0,
    idleWhileWaitingRatio: 0,
    idleSteadily: false,
    isUnserved: true,
    shortLagBefore: 0,
    shortLag: 10,
  };
  it.each([
    { why: 'slots stood idle', given: { idleWhileWaitingRatio: 0.02 }, causes: ['idle_slots'] },
    {
      why: 'slots stood idle beside tenants served over',
      given: { idleWhileWaitingRatio: 0.02, overServedTenants: 1 },
      causes: ['idle_slots'],
    },
    {
      why: 'the same slots stood idle all the while: they are gone',
      given: { idleWhileWaitingRatio: 0.02, idleSteadily: true },
      causes: ['lost_capacity'],
    },
    { why: 'a hundredth of idleness is none', given: { idleWhileWaitingRatio: 0.01 }, causes: ['lost_capacity'] },
    { why: 'others were served over: that says it', given: { overServedTenants: 1 }, causes: [] },
    { why: 'their debt did not grow', given: { shortLagBefore: 10 }, causes: ['carried_over'] },
    { why: 'all that was due was served to somebody', given: { isUnserved: false }, causes: ['spread_thin'] },
    { why: 'their debt grew', given: { shortLagBefore: 9 }, causes: ['lost_capacity'] },
    { why: 'idleness cannot be known', given: { idleWhileWaitingRatio: null }, causes: ['lost_capacity'] },
  ])('$why: $causes', ({ given, causes }) => {
    expect(otherCauses({ ...grievance, ...given })).toEqual(causes);
  });
});
