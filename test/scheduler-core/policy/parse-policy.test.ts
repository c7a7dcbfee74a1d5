import { describe, expect, it } from 'vitest';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { type Policy, parsePolicy, parsePolicyWeights } from '../../../scheduler-core/policy/index.ts';
import { FAIR_QUEUE, FULLER } from './policy-texts.ts';

const INF = Number.POSITIVE_INFINITY;

const BARE: Policy = {
  name: 'policy',
  costUnit: 'requests',
  settle: false,
  discipline: { kind: 'wfq' },
  totalLimit: INF,
  tenants: new Map(),
  defaultTenant: { weight: 1, class: null, queueLimit: INF, quota: null, waitBudgetMs: null },
  refuseUnknown: false,
  classes: new Map(),
  shuffleSharding: null,
  starvationGuard: null,
  waitBudget: null,
  boost: null,
  circuitBreaker: null,
  sloWeights: null,
  adaptiveAdmission: null,
  degradation: null,
};

/** The mistakes of a policy, one an item. */
function mistakesOf(source: unknown): string[] {
  try {
    parsePolicy(source);
  } catch (error) {
    expect(error).toBeInstanceOf(EvenshareError);
    const { code, message } = error as EvenshareError;
    expect(code).toBe('EVS_POLICY');
    expect(message).not.toMatch(/[\n\r\u2028\u2029]/);
    return message.replace(/^the policy: /, '').split('; ');
  }
  return [];
}

describe('the fair_queue form', () => {
  const policy = parsePolicy(FAIR_QUEUE, { name: 'rush.yaml' });
  const tenant = { queueLimit: INF, quota: null };
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

describe('the fuller form', () => {
  it('says every field of a policy', () => {
    const read = parsePolicy(FULLER, { name: 'x.yaml' });
    const other = { class: 'bulk', queueLimit: 50, quota: null, waitBudgetMs: 60_000 };
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
    });
    expect(tenants.get('free')).toEqual({ weight: 3, class: null, queueLimit: INF, quota: null, waitBudgetMs: null });
  });

  it.each([
    ['0.001', 'a number > 0'],
    ['.nan', 'a number'],
    ['.inf', 'a number'],
    ['-1', 'a number'],
    ['0', 'a number'],
    ['x', 'a number'],
  ])('a weight of %s must be %s', (weight, _allowed) => {
    const mistakes = weight === '0.001' ? [] : [expect.stringMatching(/^weights\.a: must be a number > 0, not /)];
    expect(mistakesOf(`weights: { a: ${weight} }`)).toEqual(mistakes);
  });

  it.each([
    ['discpline: drr', 'discpline: is not a key here (did you mean "discipline"?), known: name, cost_unit, '],
    ['fair_queue: { tenants: [] }\nname: x', 'name: is not a key here, known: fair_queue'],
    ['fair_queue: null', 'fair_queue: must be a mapping with tenants, not nothing'],
    ['discipline: drrr', 'discipline: must be fifo, priority, wfq, wf2q, drr or vtc, not "drrr" (did you mean "drr"?)'],
    ['discipline: { quantum: 10 }', 'discipline.kind: must be fifo, priority, wfq, wf2q, drr or vtc, not nothing'],
    ['discipline: { kind: wfq, quantum: 1 }', 'discipline.quantum: is not a key here, known: kind'],
    ['discipline: 3', 'discipline: must be fifo, priority, wfq, wf2q, drr or vtc, not 3'],
    ['discipline: priority', 'discipline: priority needs classes: name them in order, in classes or of tenants'],
    ['discipline: { kind: priority, order: [a, a] }', 'discipline.order[1]: "a" stands here twice'],
    ['discipline: { kind: drr, quantum: 0 }', 'discipline.quantum: must be a number > 0, not 0'],
    [
      'discipline: { kind: drr, quantum: 1e-200 }\nweights: { a: 1e-200 }',
      'weights.a: quantum × weight is 0: must be finite and > 0 (quantum 1e-200, weight 1e-200)',
    ],
    [
      'discipline: { kind: drr, quantum: 1e300 }\ntenants: [{ name: a, weight: 1e300 }]',
      'tenants[0].weight: quantum × weight is Infinity: must be finite and > 0 (quantum 1e+300, weight 1e+300)',
    ],
    ['tenants: [{ name: a }]\nweights: { a: 1 }', 'weights.a: is already named by tenants[0]'],
    ['tenants: [{ name: a }, { name: a }]', 'tenants[1].name: "a" is already named by tenants[0]'],
    ['tenants: [{ weight: 1 }]', 'tenants[0].name: is missing: a name, not empty'],
    ['tenants: [{ name: 007 }]', 'tenants[0].name: must be a name, not empty, not 7 (put it in quotes)'],
    ['tenants: { a: 1 }', 'tenants: must be a list of tenants, not a mapping'],
    ['tenants: [a]', 'tenants[0]: must be a mapping with a name, not "a"'],
    ['weights: { "": 1 }', 'weights[""]: must have a name that is not empty'],
    ['weights: [1]', 'weights: must be a mapping from tenants to weights, not a list'],
    ['queue: { total_limit: 0 }', 'queue.total_limit: must be a whole number ≥ 1, or unlimited, not 0'],
    ['queue: { total_limit: 1.5 }', 'queue.total_limit: must be a whole number ≥ 1, or unlimited, not 1.5'],
    ['queue: { total_limit: .inf }', 'queue.total_limit: must be a whole number ≥ 1, or unlimited, not Infinity'],
    ['starvation_guard: {}', 'starvation_guard.max_wait: is missing: a duration such as 250ms, 5s or 1m'],
    [
      'starvation_guard: { max_wait: 5 }',
      'starvation_guard.max_wait: must be a duration such as 250ms, 5s or 1m, not 5',
    ],
    [
      'starvation_guard: { max_wait: 0s }',
      'starvation_guard.max_wait: must be a duration such as 250ms, 5s or 1m, not "0s"',
    ],
    [
      'starvation_guard: { max_wait_s: 0 }',
      'starvation_guard.max_wait_s: must be a number > 0 and ≤ 1000000000000, not 0',
    ],
    [
      'starvation_guard: { max_wait: 1s, max_wait_ms: 1000 }',
      'starvation_guard.max_wait_ms: says again what max_wait says',
    ],
    [
      'starvation_guard: { max_wait: 1s, in_flight_ratio: 0 }',
      'starvation_guard.in_flight_ratio: must be a number > 0 and ≤ 1, not 0',
    ],
    ['wait_budget: { throughput_quantile: 1 }', 'wait_budget.throughput_quantile: must be a number > 0 and < 1, not 1'],
    ['wait_budget: 5s', 'wait_budget: must be a mapping, not "5s"'],
    ['shuffle_sharding: { queues: 4, hand_size: 5 }', 'shuffle_sharding.hand_size: must be at most queues (4), not 5'],
    [
      'shuffle_sharding: { queues: 1024, hand_size: 7 }',
      "shuffle_sharding.hand_size: must be smaller: log2(queues) × hand_size is over 60 bits of a tenant's hash",
    ],
    ['slo_weights: {}', 'slo_weights: needs a class with a target'],
    [
      'slo_weights: { every: 10m }\nclasses: { a: { target: { ratio: 1, wait_below: 1s } } }',
      'slo_weights.every: must not be longer than window',
    ],
    [
      'classes: { a: { target: { ratio: 1.1, wait_below: 1s } } }',
      'classes.a.target.ratio: must be a number > 0 and ≤ 1, not 1.1',
    ],
    [
      'discipline: fifo\ntenants: [{ name: a, quota: { rate_per_s: 1, burst: 1, mode: hold } }]',
      'tenants[0].quota.mode: hold needs a queue for each tenant (wfq, wf2q, drr or vtc, without shuffle_sharding): use',
    ],
    [
      'shuffle_sharding: { queues: 8, hand_size: 2 }\ndefault_tenant: { quota: { rate_per_s: 1, burst: 1, mode: hold } }',
      'default_tenant.quota.mode: hold needs a queue for each tenant',
    ],
    ['classes: 3', 'classes: must be a list or a mapping of classes, not 3'],
    [
      'classes: { batch: {} }\ntenants: [{ name: a, class: bach }]',
      'tenants[0].class: names the class "bach" (did you mean "batch"?), which is none of "batch"',
    ],
    [
      'classes: { batch: {} }\ndefault_tenant: { class: x }',
      'default_tenant.class: names the class "x", which is none of "batch"',
    ],
    [
      'adaptive_admission: {}\ndefault_tenant: { quota: { rate_per_s: 1, burst: 1 } }',
      'adaptive_admission: needs a limit to compare with: set queue.total_limit or queue.per_tenant_limit',
    ],
    [
      'adaptive_admission: {}\nqueue: { total_limit: 9 }',
      'adaptive_admission: needs a quota of some tenant: it scales their refill rates',
    ],
    [
      'degradation: { levels: [{ name: L1, enter_above: 0.5, action: pause, class: a }] }\nclasses: { a: {} }',
      'degradation: needs a limit to compare with: set queue.total_limit or queue.per_tenant_limit',
    ],
    [
      'degradation: { levels: [{ name: L1, enter_above: 0.5, leave_below: 0.5, action: pause, class: a }] }\nclasses: { a: {} }\nqueue: { total_limit: 9 }',
      'degradation.levels[0].leave_below: must be less than where it is entered (0.5)',
    ],
    ['degradation: { levels: [] }', 'degradation.levels: must not be empty'],
    ['circuit_breaker: { failures: 0 }', 'circuit_breaker.failures: must be a whole number ≥ 1, not 0'],
    ['refuse_unknown_tenants: yes', 'refuse_unknown_tenants: must be true or false, not "yes"'],
    [
      'default_tenant: { quota: { rate_per_s: -1, burst: 1 } }',
      'default_tenant.quota.rate_per_s: must be a number ≥ 0, not -1',
    ],
    ['default_tenant: { quota: { rate_per_s: 1 } }', 'default_tenant.quota.burst: is missing: a number > 0'],
    ['- a', 'must be a mapping with fair_queue, or with keys such as discipline, not a list'],
    ['', 'must be a mapping with fair_queue, or with keys such as discipline, not nothing'],
    ['wfq', 'must be a mapping with fair_queue, or with keys such as discipline, not "wfq"'],
  ])('%s is refused', (text, mistake) => {
    const mistakes = mistakesOf(text);
    expect(mistakes.length).toBe(1);
    expect(mistakes[0]?.startsWith(mistake), mistakes[0]).toBe(true);
  });

  it('refuses controllers that would look more than once a millisecond', () => {
    const levels = '[{ name: L1, enter_above: 0.5, action: pause, class: a }]';
    const text = `
queue: { total_limit: 9 }
default_tenant: { class: a, quota: { rate_per_s: 1, burst: 1 } }
classes: { a: { target: { ratio: 1, wait_below: 1s } } }
slo_weights: { every: 0.5ms }
adaptive_admission: { every_ms: 0.5 }
degradation: { every_s: 0.0005, levels: ${levels} }`;
    const at = ['slo_weights', 'adaptive_admission', 'degradation'];
    expect(mistakesOf(text)).toEqual(at.map((name) => `${name}.every: must be at least 1ms`));
  });

  it('names every mistake at once, those of single values and those between parts', () => {
    const mistakes = mistakesOf(`
disciplin: drr
cost_unit: euro
weights: { a: 0, b: 1 }
tenants:
  - { name: b, class: bulk }
  - { name: b, weight: -1 }
  - { name: c, class: bulks, wait_budget: soon }
classes: [{ name: bulk }, { name: bulk, weight: 0 }]
boost: { after: 0s, forr: 1s }
shuffle_sharding: { queues: 2, hand_size: 3 }
`);
    expect(mistakes.map((mistake) => mistake.slice(0, mistake.indexOf(':')))).toEqual([
      'disciplin',
      'cost_unit',
      'weights.a',
      'tenants[1].name',
      'tenants[1].weight',
      'tenants[2].wait_budget',
      'classes[1].name',
      'classes[1].weight',
      'boost.after',
      'boost.forr',
      'shuffle_sharding.hand_size',
      'weights.b',
    ]);
  });

  it('names as many mistakes as anybody reads, and counts the rest', () => {
    const text = `weights: { ${Array.from({ length: 1_000 }, (_, index) => `t${index}: 0`).join(', ')} }`;
    const mistakes = mistakesOf(text);
    expect(mistakes.length).toBe(101);
    expect(mistakes.at(-1)).toBe('and 900 more mistakes');
  });
});

describe('hostile names', () => {
  const names = ['__proto__', 'constructor', 'toString', '=cmd', 'a\nb', '\u202eevil', '"; drop', '', '\ud800', '𝕏'];

  it.each(names.filter((name) => name !== ''))('%j is a tenant like any other', (name) => {
    const { tenants } = parsePolicy(JSON.stringify({ weights: null }).replace('null', `{${JSON.stringify(name)}:3}`));
    expect([...tenants]).toEqual([[name, { ...BARE.defaultTenant, weight: 3 }]]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    expect(parsePolicy({ tenants: [{ name, weight: 3 }] }).tenants.get(name)?.weight).toBe(3);
  });

  it.each(names)('%j is shown in quotes on one line', (name) => {
    const [mistake] = mistakesOf(new Map([['weights', new Map([[name, 0]])]]));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be shown
    expect(mistake).not.toMatch(/[\0-\x1f\x7f\u2028-\u202e]/);
  });

  it('that are very long are shown in part', () => {
    const long = 'x'.repeat(1_000_000);
    const text = `tenants: [{ name: ${long} }, { name: ${long}, class: ${long} }]\nclasses: { a: {} }\n${long}: 1`;
    const mistakes = mistakesOf(text);
    expect(mistakes.length).toBe(3);
    for (const mistake of mistakes) expect(mistake.length).toBeLessThan(400);
  });

  it.each([
    [1n, 'a bigint'],
    [Symbol('x'), 'a symbol'],
    [() => 1, 'a function'],
    [new Date(0), 'a mapping'],
    [undefined, 'nothing'],
  ])('what no file holds is refused too: %s', (value, shown) => {
    expect(mistakesOf({ weights: { a: value ?? null } })).toEqual([`weights.a: must be a number > 0, not ${shown}`]);
  });

  it('a policy that holds itself does no harm', () => {
    const circle: { weights?: unknown } = {};
    circle.weights = circle;
    expect(mistakesOf(circle)).toEqual(['weights.weights: must be a number > 0, not a mapping']);
  });
});

describe('the weights alone', () => {
  it('may be 0, as analytics allows and schedulers do not', () => {
    const text = 'fair_queue: { tenants: [{ name: a, weight: 0 }, { name: b, weight: 2 }, { name: c }] }';
    expect([...parsePolicyWeights(text)]).toEqual([
      ['a', 0],
      ['b', 2],
      ['c', 1],
    ]);
    expect(mistakesOf(text)).toEqual(['fair_queue.tenants[0].weight: must be a number > 0, not 0']);
    expect([...parsePolicyWeights('weights: { a: 0, 007: 2 }\ndiscipline: drr')]).toEqual([
      ['a', 0],
      ['007', 2],
    ]);
  });

  it('are relative to those of tenants that are not named', () => {
    expect([...parsePolicyWeights('weights: { a: 3 }\ndefault_tenant: { weight: 2 }')]).toEqual([['a', 1.5]]);
    expect(() => parsePolicyWeights('default_tenant: { weight: 0 }', { name: 'x.yaml' })).toThrow(
      'policy "x.yaml": default_tenant.weight: must be > 0: other weights are relative to it',
    );
  });

  it('are refused with everything else that is wrong', () => {
    expect(() => parsePolicyWeights('weights: { a: -1 }\nboots: {}')).toThrow(
      'the policy: weights.a: must be a number ≥ 0, not -1; boots: is not a key here (did you mean "boost"?)',
    );
  });
});
