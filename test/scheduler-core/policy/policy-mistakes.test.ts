import { describe, expect, it } from 'vitest';
import { mistakesOf } from './policy-expectations.ts';

describe('a policy with mistakes', () => {
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
      'groups: { corp: {} }\ntenants: [{ name: a, group: cropp }]',
      'tenants[0].group: names the group "cropp", which is none of "corp"',
    ],
    [
      'groups: { partners: {} }\ntenants: [{ name: a, group: partner }]',
      'tenants[0].group: names the group "partner" (did you mean "partners"?), which is none of "partners"',
    ],
    ['groups: { a: { weight: -1 } }', 'groups.a.weight: must be a number ≥ 0, not -1'],
    ['groups: [a]', 'groups: must be a mapping of groups, not a list'],
    ['groups: { "": {} }', 'groups[""]: must have a name that is not empty'],
    ['tenants: [{ name: a, group: 7 }]', 'tenants[0].group: must be the name of a group, not 7 (put it in quotes)'],
    ['default_tenant: { group: a }', 'default_tenant.group: is not a key here, known: weight, class, '],
    ['fair_queue: { tenants: [{ name: a, group: b }] }', 'fair_queue.tenants[0].group: is not a key here, known: name'],
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
