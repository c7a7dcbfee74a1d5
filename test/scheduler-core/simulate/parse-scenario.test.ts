import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import {
  noisyNeighbour,
  parseScenario,
  scenarioRequests,
  simulateScenario,
} from '../../../scheduler-core/simulate/index.ts';
import { readScenario, SCENARIO_NAMES } from './scenario-files.ts';

const MINIMAL = {
  scenario: 'small',
  slots: 2,
  duration: '10s',
  tenants: [
    {
      name: 'a',
      arrivals: { kind: 'poisson', rate_rps: 10 },
      service: { kind: 'exponential', mean: '50ms' },
    },
  ],
  policies: [{ name: 'fifo', policy: { discipline: 'fifo' } }],
};

function refusalOf(scenario: unknown): string {
  try {
    parseScenario(scenario, 'x.yaml');
  } catch (error) {
    if (error instanceof EvenshareError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('a scenario file', () => {
  it('needs little: the rest has defaults', () => {
    expect(parseScenario(MINIMAL)).toMatchObject({
      name: 'small',
      seed: 1,
      slots: 2,
      durationMs: 10_000,
      measured: { fromMs: 0, toMs: 10_000 },
      costUnit: 'requests',
      workers: { count: 1, stealing: false },
      slotChanges: [],
      sampleEveryMs: null,
    });
  });

  it('has every mistake named at once, with its path and what is allowed', () => {
    const message = refusalOf({
      ...MINIMAL,
      slot: 3,
      slots: 0,
      measured: { from: '5s', to: '5s' },
      tenants: [
        { ...MINIMAL.tenants[0], name: 'x{9..3}', arrivals: { kind: 'poison', rate_rps: 1 }, cost: 'tokens' },
        {
          name: 'b',
          arrivals: { kind: 'poisson', rate_rps: -1 },
          service: { kind: 'exponential', mean: 50 },
        },
        { ...MINIMAL.tenants[0], worker: 2 },
      ],
      policies: [
        { name: 'p', policy: { discipline: 'fifoo' } },
        { name: 'q', like: 'nobody' },
        { name: 'r' },
        { name: 's', like: 'p', without: ['gravity'] },
      ],
    });
    for (const part of [
      'EVS_USAGE: scenario "x.yaml": ',
      'slot: is not a key here (did you mean "slots"?)',
      'slots: must be a number > 0',
      'measured: must end after it begins',
      'tenants[0].name: names nobody',
      'tenants[0].arrivals.kind: must be poisson, periodic, bursts, renewal or recorded, not "poison"',
      'tenants[0].cost: the service has no tokens',
      'tenants[1].arrivals.rate_rps: must be a number ≥ 0, not -1',
      'tenants[1].service.mean: must be a duration',
      'tenants[2].worker: must be less than the workers (1)',
      'policies[0]: policy "p": discipline: must be',
      'policies[1].like: names no policy listed before it',
      'policies[2]: needs either policy or like',
      'policies[3].without[0]: must be',
    ]) {
      expect(message).toContain(part);
    }
    expect(message).not.toContain('\n');
  });

  it.each([
    ['no mapping', [], 'must be a mapping'],
    ['nothing', null, 'must be a mapping'],
    [
      'a request wider than the pool',
      { ...MINIMAL, tenants: [{ ...MINIMAL.tenants[0], slots: 3 }] },
      'tenants[0].slots',
    ],
    [
      'spans that overlap',
      {
        ...MINIMAL,
        tenants: [
          {
            ...MINIMAL.tenants[0],
            arrivals: {
              kind: 'poisson',
              rate_rps: 1,
              spans: [
                { from: '1s', to: '3s', rate_rps: 2 },
                { from: '2s', to: '4s', rate_rps: 2 },
              ],
            },
          },
        ],
      },
      'spans[1]: must begin where the span before it ends',
    ],
    ['twins among policies', { ...MINIMAL, policies: [...MINIMAL.policies, ...MINIMAL.policies] }, 'already named'],
  ])('is refused with %s', (_, scenario, expected) => {
    expect(refusalOf(scenario)).toContain(expected);
  });

  it('names several tenants alike by a range, with its leading zeros', () => {
    const { loads } = parseScenario({ ...MINIMAL, tenants: [{ ...MINIMAL.tenants[0], name: 'small{08..11}x' }] });
    expect(loads.map(({ tenant }) => tenant)).toEqual(['small08x', 'small09x', 'small10x', 'small11x']);
  });

  it('can build a policy on another and leave parts of it out', () => {
    const { policies } = parseScenario({
      ...MINIMAL,
      policies: [
        {
          name: 'whole',
          policy: {
            cost_unit: 'tokens',
            discipline: 'wfq',
            weights: { a: 3 },
            starvation_guard: { max_wait: '1s' },
            default_tenant: { quota: { rate_per_s: 1, burst: 1 } },
          },
        },
        { name: 'bare', like: 'whole', without: ['starvation_guard', 'quotas', 'weights', 'token_cost'] },
        { name: 'same', like: 'whole' },
      ],
    });
    const [whole, bare, same] = policies;
    expect(whole).toMatchObject({ name: 'whole', settle: true, costUnit: 'tokens' });
    expect(bare).toMatchObject({ name: 'bare', settle: false, costUnit: 'requests', starvationGuard: null });
    expect(bare?.defaultTenant.quota).toBeNull();
    expect([whole?.tenants.get('a')?.weight, bare?.tenants.get('a')?.weight]).toEqual([3, 1]);
    expect(same).toEqual({ ...whole, name: 'same' });
  });

  it('is as its page shows it', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/scenarios.md'), 'utf8');
    const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map((match) => parse(match[1] ?? ''));
    expect(examples).toHaveLength(1);
    const scenario = parseScenario(examples[0]);
    expect(scenario.policies.map(({ name }) => name)).toEqual(['fair', 'unweighted']);
    expect(scenario.loads).toHaveLength(21);
  });

  it('draws the same requests as the noisy neighbour that tests and demo draw', () => {
    const scenario = readScenario('noisy-neighbour');
    const drawn = [...scenarioRequests(scenario, 5)];
    expect(drawn.length).toBeGreaterThan(70_000);
    const isSame = JSON.stringify(drawn) === JSON.stringify([...noisyNeighbour({ seed: 5 })]);
    expect(isSame).toBe(true);
  });
});

describe('the scenarios of the package', () => {
  it('are those of the published results, and their variants', () => {
    expect(SCENARIO_NAMES).toEqual([
      'four-tiers',
      'four-tiers-failures',
      'four-tiers-stealing',
      'four-tiers-workers',
      'gateway-rush',
      'noisy-neighbour',
      'noisy-neighbour-alone',
      'slo-classes',
      'three-tenants',
    ]);
  });

  it.each(SCENARIO_NAMES)(
    '%s is read, is called as its file, says what it shows and gives the same bytes twice',
    (name) => {
      const scenario = readScenario(name);
      expect(scenario.name).toBe(name);
      expect(scenario.about).not.toBe('');
      expect(scenario.policies.map((policy) => policy.name)).toContain(name === 'three-tenants' ? 'wfq' : 'fifo');
      for (const policy of scenario.published.keys())
        expect(scenario.policies.map((each) => each.name)).toContain(policy);
      const policies = scenario.policies.slice(-1);
      const bytes = JSON.stringify(simulateScenario(scenario, { policies }));
      expect(JSON.stringify(simulateScenario(scenario, { policies }))).toBe(bytes);
    },
  );
});
