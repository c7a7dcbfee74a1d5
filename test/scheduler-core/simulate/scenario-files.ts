import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  type PolicyResult,
  parseScenario,
  type Scenario,
  simulateScenario,
  type TenantResult,
} from '../../../scheduler-core/simulate/index.ts';

const FOLDER = join(import.meta.dirname, '../../scenarios');

export const SCENARIO_NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.slice(0, -'.yaml'.length))
  .sort();

/** A scenario that comes with the package. */
export function readScenario(name: string): Scenario {
  return parseScenario(parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8')), name);
}

/** One policy of a scenario, simulated. */
export function runScenario(scenario: Scenario, policy: string, seed: number): PolicyResult {
  const chosen = scenario.policies.filter(({ name }) => name === policy);
  const [result] = simulateScenario(scenario, { seed, policies: chosen }).policies;
  if (result === undefined) throw new Error(`${scenario.name} has no policy ${policy}`);
  return result;
}

export function tenantOf(result: PolicyResult, tenant: string): TenantResult {
  const found = result.tenants.find((each) => each.tenant === tenant);
  if (found === undefined) throw new Error(`there is no tenant ${tenant}`);
  return found;
}
