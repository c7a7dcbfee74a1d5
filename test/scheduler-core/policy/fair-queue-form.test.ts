import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../scheduler-core/policy/index.ts';
import { BARE, INF, mistakesOf } from './policy-expectations.ts';
import { FAIR_QUEUE } from './policy-texts.ts';

describe('the fair_queue form', () => {
  const policy = parsePolicy(FAIR_QUEUE, { name: 'rush.yaml' });
  const tenant = { queueLimit: INF, quota: null, group: null };
  const plainClass = { weight: 1, waitBudgetMs: null, target: null };

  it('is read as gateways write it', () => {
    expect(policy).toEqual({
      ...BARE,
      name: 'rush.yaml',
      costUnit: 'tokens',
      settle: true,
      tenants: new Map([
        ['marketing', { ...tenant, weight: 30, class: 'realtime', waitBudgetMs: 5_000 }],
        ['cs_bot', { ...tenant, weight: 30, class: 'interactive', waitBudgetMs: 15_000 }],
        ['data_batch', { ...tenant, weight: 15, class: 'batch', waitBudgetMs: 300_000 }],
      ]),
      classes: new Map([
        ['realtime', plainClass],
        ['interactive', plainClass],
        ['batch', plainClass],
      ]),
      waitBudget: { predict: true, throughputQuantile: 0.25, boostShareMax: 0.1, perTenantBoostHourly: 200 },
      degradation: {
        everyMs: 1_000,
        minDwellMs: 10_000,
        throttleRatio: 0.5,
        levels: [
          { name: 'L1', enterAbove: 0.7, leaveBelow: 0.56, action: 'pause', class: 'batch' },
          { name: 'L2', enterAbove: 0.85, leaveBelow: 0.68, action: 'light_mode', class: 'interactive' },
          { name: 'L3', enterAbove: 0.95, leaveBelow: 0.76, action: 'throttle', class: 'realtime' },
        ],
      },
    });
  });

  it('is the same as JSON, as objects and as Maps', () => {
    const object = {
      fair_queue: { tenants: [{ name: 'a', weight: 2 }], degrade: [], anti_starvation: { max_wait_s: 60 } },
    };
    const map = new Map([['fair_queue', new Map<string, unknown>(Object.entries(object.fair_queue))]]);
    const read = parsePolicy(object);
    expect(parsePolicy(JSON.stringify(object))).toEqual(read);
    expect(parsePolicy(map)).toEqual(read);
    expect(read.starvationGuard).toEqual({ maxWaitMs: 60_000, inFlightRatio: 0.1, perTenantHourly: INF });
    expect(read.degradation).toBeNull();
  });

  it('takes limits, a discipline and levels of recovery', () => {
    const text = FAIR_QUEUE.replace('cost_unit', 'total_limit: 6000\n     discipline: drr\n     cost_unit')
      .replace('> 0.7,', '> 0.7, recover: queue_water < 0.3, ')
      .replace('weight: 15', 'weight: 15, queue_limit: 9');
    const read = parsePolicy(text);
    expect(read.totalLimit).toBe(6_000);
    expect(read.discipline).toEqual({ kind: 'drr', quantumCost: 1_000 });
    expect(read.tenants.get('data_batch')?.queueLimit).toBe(9);
    expect(read.degradation?.levels[0]?.leaveBelow).toBe(0.3);
  });

  it.each([
    ['trigger: queue_water>.7', 0.7],
    ['trigger: queue_water > 1', 1],
    ['trigger: "  queue_water  >  0.05  "', 0.05],
  ])('reads %s', (trigger, enterAbove) => {
    const text = FAIR_QUEUE.replace('trigger: queue_water > 0.7', trigger).replace(/ *- \{ level: L[23].*\n/g, '');
    expect(parsePolicy(text).degradation?.levels[0]?.enterAbove).toBe(enterAbove);
  });

  it.each([
    [
      'weight: 30, class: realtime',
      'weigth: 30, class: realtime',
      [
        'fair_queue.tenants[0].weigth: is not a key here (did you mean "weight"?), known: name, weight, class, queue_limit, quota, wait_budget[_s|_ms]',
      ],
    ],
    ['cs_bot', 'marketing', ['fair_queue.tenants[1].name: "marketing" is already named by fair_queue.tenants[0]']],
    [
      'pause_batch',
      'pause_bacth',
      [
        'fair_queue.degrade[0]: names the class "bacth" (did you mean "batch"?), which is none of "realtime", "interactive", "batch"',
      ],
    ],
    [
      'pause_batch',
      'stop_batch',
      ['fair_queue.degrade[0].action: must be pause_CLASS or light_mode_CLASS or throttle_CLASS, not "stop_batch"'],
    ],
    ['> 0.85', '> 0.7', ['fair_queue.degrade[1]: must be entered above the level before it (0.7)']],
    [
      '> 0.85',
      '> 85%',
      [
        'fair_queue.degrade[1].trigger: must be "queue_water > LEVEL" with a level over 0 and up to 1, not "queue_water > 85%"',
      ],
    ],
    [
      '> 0.95',
      '> 0.95, recover: queue_water < 0.95',
      ['fair_queue.degrade[2].recover: must be less than where it is entered (0.95)'],
    ],
    ['level: L2', 'level: L1', ['fair_queue.degrade[1].level: "L1" is already named by fair_queue.degrade[0]']],
    [
      'estimated_tokens',
      'estimated_token',
      [
        'fair_queue.cost_unit: must be requests, service_ms, tokens or estimated_tokens, not "estimated_token" (did you mean "estimated_tokens"?)',
      ],
    ],
    [
      'boost_share_max: 0.10',
      'boost_share_max: 10',
      ['fair_queue.anti_starvation.boost_share_max: must be a number ≥ 0 and ≤ 1, not 10'],
    ],
    [
      'boost_share_max: 0.10',
      'boost_share_max: 0\n       max_wait: 1s',
      ['fair_queue.anti_starvation.max_wait: needs a boost_share_max over 0: nobody may be moved ahead'],
    ],
  ])('with %s replaced by %s says so', (from, to, expected) => {
    expect(FAIR_QUEUE).toContain(from);
    expect(mistakesOf(FAIR_QUEUE.replace(from, to))).toEqual(expected);
  });
});
