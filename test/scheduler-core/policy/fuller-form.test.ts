import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../scheduler-core/policy/index.ts';
import { BARE, INF } from './policy-expectations.ts';
import { FULLER } from './policy-texts.ts';

describe('the fuller form', () => {
  it('says every field of a policy', () => {
    const read = parsePolicy(FULLER, { name: 'x.yaml' });
    const other = { class: 'bulk', queueLimit: 50, quota: null, waitBudgetMs: 60_000, group: null };
    expect(read).toEqual({
      name: 'everything',
      costUnit: 'service_ms',
      settle: false,
      discipline: { kind: 'drr', quantumCost: 12.5 },
      totalLimit: 6_000,
      tenants: new Map([
        [
          'acme',
          {
            weight: 8,
            class: 'urgent',
            queueLimit: INF,
            quota: { ratePerS: 450, burst: 112.5, unit: 'cost', mode: 'refuse' },
            waitBudgetMs: INF,
            group: 'corp',
          },
        ],
        ['beta', { ...other, weight: 2, waitBudgetMs: 250 }],
        ['=cmd', { ...other, weight: 3 }],
        ['中文', { ...other, weight: 0.5 }],
      ]),
      defaultTenant: { ...other, weight: 2 },
      refuseUnknown: true,
      classes: new Map([
        ['urgent', { weight: 70, waitBudgetMs: 5_000, target: { ratio: 0.99, waitBelowMs: 300 } }],
        ['bulk', { weight: 5, waitBudgetMs: null, target: null }],
      ]),
      groups: new Map([
        ['corp', { weight: 0 }],
        ['partners', { weight: 1 }],
      ]),
      shuffleSharding: { queues: 128, handSize: 6 },
      starvationGuard: { maxWaitMs: 200, inFlightRatio: 1, perTenantHourly: 200 },
      waitBudget: { predict: false, throughputQuantile: 0.1, boostShareMax: 0.2, perTenantBoostHourly: 9 },
      boost: { afterMs: 90_000, forMs: 1_500 },
      circuitBreaker: { failures: 4, coolDownMs: 3_000, probes: 2, successes: 1 },
      sloWeights: {
        everyMs: 20_000,
        windowMs: 120_000,
        amplification: 4,
        deadBandRatio: 0.1,
        stepRatio: 0.3,
        minSamples: 10,
        leastFactor: 0.5,
        mostFactor: 3,
      },
      adaptiveAdmission: { everyMs: 2_000, targetLoadRatio: 0.6, gain: 0.7, leastFactor: 0.2, mostFactor: 1.5 },
      degradation: {
        everyMs: 2_000,
        minDwellMs: 0,
        throttleRatio: 0.25,
        levels: [
          { name: 'L1', enterAbove: 0.7, leaveBelow: 0.5, action: 'pause', class: 'bulk' },
          { name: 'L2', enterAbove: 0.9, leaveBelow: 0.72, action: 'throttle', class: 'urgent' },
        ],
      },
    });
  });

  it.each([
    ['{}', {}, 'nothing said is weighted fair queueing for all alike'],
    ['boost: ~\nwait_budget: null\ncircuit_breaker:', {}, 'what is null is off'],
    ['discipline: fifo', { discipline: { kind: 'fifo' } }, 'a word is a discipline'],
    ['discipline: drr', { discipline: { kind: 'drr', quantumCost: 1 } }, 'a quantum is about one request'],
    [
      'discipline: { kind: drr }\ncost_unit: service_ms',
      { discipline: { kind: 'drr', quantumCost: 10 }, costUnit: 'service_ms', settle: true },
      'in the unit of the cost',
    ],
    ['discipline: vtc', { discipline: { kind: 'vtc', inputPrice: 1, outputPrice: 2 } }, 'the published prices'],
    [
      'queue: { per_tenant_limit: 200 }\nweights: { a: 2 }',
      {
        defaultTenant: { ...BARE.defaultTenant, queueLimit: 200 },
        tenants: new Map([['a', { ...BARE.defaultTenant, weight: 2, queueLimit: 200 }]]),
      },
      'a limit holds for each',
    ],
    [
      'default_tenant: { quota: { rate_per_s: 5, burst: 1, mode: hold } }',
      {
        defaultTenant: {
          ...BARE.defaultTenant,
          quota: { ratePerS: 5, burst: 1, unit: 'requests', mode: 'hold' },
        },
      },
      'a quota may hold back where tenants have queues',
    ],
    ['boost: {}', { boost: { afterMs: 60_000, forMs: 30_000 } }, 'an empty mapping is all defaults'],
    [
      'default_tenant: { wait_budget: 5s }',
      {
        defaultTenant: { ...BARE.defaultTenant, waitBudgetMs: 5_000 },
        waitBudget: { predict: true, throughputQuantile: 0.25, boostShareMax: 0, perTenantBoostHourly: INF },
      },
      'a budget that is stated is kept',
    ],
    [
      'default_tenant: { wait_budget: 5s }\nwait_budget: null',
      { defaultTenant: { ...BARE.defaultTenant, waitBudgetMs: 5_000 } },
      'but where it is switched off',
    ],
  ])('%j: %s', (text, expected, _why) => {
    expect(parsePolicy(text)).toEqual({ ...BARE, ...expected });
  });

  it('takes classes as a list or a mapping, and priority takes them in their order', () => {
    const list = parsePolicy('discipline: priority\nclasses: [{ name: b, weight: 2 }, { name: a }]');
    const mapping = parsePolicy('discipline: priority\nclasses: { b: { weight: 2 }, a: {} }');
    expect(mapping).toEqual(list);
    expect(list.discipline).toEqual({ kind: 'priority', mode: 'strict', order: ['b', 'a'] });
    const ordered = parsePolicy('discipline: { kind: priority, mode: weighted, order: [P0, P1] }');
    expect([...ordered.classes.keys()]).toEqual(['P0', 'P1']);
  });

  it('gives a named tenant what the default says, and lets it switch that off', () => {
    const { tenants } = parsePolicy(`
default_tenant: { weight: 3, class: bulk, quota: { rate_per_s: 5, burst: 5 }, wait_budget: 1s }
tenants:
  - { name: like_the_rest }
  - { name: free, class: null, quota: null, wait_budget: null }
`);
    const quota = { ratePerS: 5, burst: 5, unit: 'requests', mode: 'refuse' };
    expect(tenants.get('like_the_rest')).toEqual({
      weight: 3,
      class: 'bulk',
      queueLimit: INF,
      quota,
      waitBudgetMs: 1_000,
      group: null,
    });
    const free = { weight: 3, class: null, queueLimit: INF, quota: null, waitBudgetMs: null, group: null };
    expect(tenants.get('free')).toEqual(free);
  });

  it('knows the groups that are listed, else those that tenants name, each with weight 1', () => {
    const named = parsePolicy('tenants: [{ name: a, group: x }, { name: b, group: __proto__ }, { name: c, group: x }]');
    expect([...named.groups]).toEqual([
      ['x', { weight: 1 }],
      ['__proto__', { weight: 1 }],
    ]);
    expect(named.tenants.get('c')?.group).toBe('x');
    const listed = parsePolicy('tenants: [{ name: a, group: 007 }, { name: b, group: null }]'.replace('007', '"007"'));
    expect([...listed.groups.keys()]).toEqual(['007']);
    expect(listed.tenants.get('b')?.group).toBeNull();
    expect([...parsePolicy('groups: { x: { weight: 2.5 }, 007: {} }').groups]).toEqual([
      ['x', { weight: 2.5 }],
      ['007', { weight: 1 }],
    ]);
  });
});
