import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PolicyResult, type SimulationResult, simulateScenario } from '../../scheduler-core/index.ts';
import { readScenario, SCENARIO_NAMES } from '../scheduler-core/simulate/scenario-files.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { expectRefusal } from './refusal.ts';

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterAll(() => sandbox.remove());

const SMALL = `
scenario: small
slots: 2
duration: 10s
tenants:
  - { name: a, arrivals: { kind: poisson, rate_rps: 30 }, service: { kind: exponential, mean: 50ms } }
  - { name: b, arrivals: { kind: poisson, rate_rps: 5 }, service: { kind: exponential, mean: 50ms } }
policies:
  - { name: mine, policy: { discipline: wfq } }
`;

async function json<Value>(...args: readonly string[]): Promise<Value> {
  const { code, stdout, stderr } = await sandbox.run(['simulate', ...args, '--json']);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}
const namesOf = (result: SimulationResult): string[] => result.policies.map(({ policy }: PolicyResult) => policy);

describe('evenshare simulate', () => {
  it('lists the scenarios of the package', async () => {
    const { scenarios } = await json<{ scenarios: { name: string }[] }>('--list');
    expect(scenarios.map(({ name }) => name)).toEqual(SCENARIO_NAMES);
    const { stdout } = await sandbox.run(['simulate', '--list']);
    for (const name of SCENARIO_NAMES) expect(stdout).toContain(name);
  });

  it('prints what the library says of a scenario, as JSON and twice the same bytes', async () => {
    const args = ['simulate', 'three-tenants', '--json'];
    const first = await sandbox.run(args);
    expect((await sandbox.run(args)).stdout).toBe(first.stdout);
    expect(JSON.parse(first.stdout)).toEqual(
      JSON.parse(JSON.stringify(simulateScenario(readScenario('three-tenants')))),
    );
  });

  it('has a table for people: the policies side by side, then the tenants', async () => {
    const { stdout, stderr, code } = await sandbox.run(['simulate', 'three-tenants']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^three-tenants, seed 1: 420 requests, 1 slots/);
    expect(stdout).toMatch(/\nwfq-guard-200ms .* 363\n/);
    expect(stdout).toMatch(/\nA +wfq /);
  });

  it('takes a file, its policies by name, plain disciplines, and policy files', async () => {
    const scenario = await sandbox.write('small.yaml', SMALL);
    const policy = await sandbox.write('mine.yaml', 'discipline: { kind: drr, quantum: 1 }\nweights: { b: 3 }\n');
    const result = await json<SimulationResult>(
      scenario,
      '--policy',
      'mine',
      '--policy',
      'fifo',
      '--policy',
      policy,
      '--seed',
      '9',
      '--slots',
      '3',
    );
    expect(result).toMatchObject({ scenario: 'small', seed: 9, slots: 3 });
    expect(namesOf(result)).toEqual(['mine', 'fifo', policy]);
    expect(result.policies[2]?.tenants.find(({ tenant }) => tenant === 'b')?.weight).toBe(3);
  });

  it('tells least, median and largest over many seeds, beside what was published', async () => {
    const { figures } = await json<{ figures: Record<string, unknown>[] }>(
      'noisy-neighbour',
      '--seeds',
      '1-3',
      '--policy',
      'drr',
    );
    const p99 = figures.find(({ figure }) => figure === 'in_share_p99_wait_ms');
    expect(p99).toMatchObject({ policy: 'drr', seeds: 3, published: 19.5 });
    expect(Number(p99?.min)).toBeLessThanOrEqual(Number(p99?.median));
    expect(Number(p99?.median)).toBeLessThanOrEqual(Number(p99?.max));
  });

  it.each([
    ['no scenario', [], /name a scenario/],
    ['an unknown name', ['noisy'], /no scenario is called "noisy": there are four-tiers, .*three-tenants/],
    ['a missing file', ['./nowhere.yaml'], /cannot read the scenario/],
    [
      'an unknown policy',
      ['three-tenants', '--policy', 'lifo'],
      /no policy is called "lifo": there are wfq, wfq-guard-200ms, fifo/,
    ],
    ['a missing policy file', ['three-tenants', '--policy', './x.yaml'], /cannot read the policy/],
    ['a seed that is none', ['three-tenants', '--seed', '1.5'], /--seed "1.5" must be a whole number/],
    ['seeds that are none', ['three-tenants', '--seeds', '5-1'], /--seeds "5-1" must be seeds/],
    ['one seed and many', ['three-tenants', '--seeds', '1-2', '--seed', '1'], /either --seed or --seeds/],
    ['no slots', ['three-tenants', '--slots', '0'], /--slots "0" must be a number over 0/],
  ])('refuses %s in one line', async (_, args, line) => {
    expectRefusal(await sandbox.run(['simulate', ...args]), 2, line);
  });

  it.each([
    ['no YAML', 'scenario: [', /is no YAML/],
    [
      'mistakes',
      SMALL.replace('slots: 2', 'slots: -2').replace('poisson', 'poison'),
      /slots: must be.*arrivals.kind: must be|arrivals.kind: must be.*slots: must be/,
    ],
    ['an empty file', '', /must be a mapping, not nothing/],
    ['a broken policy', SMALL.replace('wfq', 'wfqq'), /policies\[0\]: policy "mine": discipline/],
  ])('refuses a scenario with %s in one line', async (_, content, line) => {
    expectRefusal(await sandbox.run(['simulate', await sandbox.write('broken.yaml', content)]), 2, line);
  });
});
