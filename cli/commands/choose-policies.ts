import {
  EvenshareError,
  PLAIN_POLICIES,
  type Policy,
  type PolicyCostUnit,
  plainPolicy,
} from '../../scheduler-core/index.ts';
import { readPolicy } from '../read-policy.ts';

export interface PolicyChoice {
  /** As the user named them: policies that are known by name, plain disciplines, or files. */
  readonly wanted: readonly string[];
  /** Known by name already. */
  readonly known: readonly Policy[];
  /** Of plain disciplines, which say nothing of costs. */
  readonly costUnit: PolicyCostUnit;
  readonly quantumCost?: number;
}

/** Throws `EVS_USAGE` for a word that is no policy, `EVS_POLICY` for mistakes in a file. */
export async function choosePolicies(choice: PolicyChoice): Promise<Policy[]> {
  const chosen: Policy[] = [];
  for (const word of choice.wanted) chosen.push(await choosePolicy(word, choice));
  return chosen;
}

async function choosePolicy(word: string, choice: PolicyChoice): Promise<Policy> {
  const { known, costUnit, quantumCost } = choice;
  const found =
    known.find(({ name }) => name === word) ??
    plainPolicy(word, { costUnit, ...(quantumCost === undefined ? {} : { quantumCost }) });
  if (found !== null) return found;
  if (/[/\\]|\.(ya?ml|json)$/.test(word)) return readPolicy(word);
  const names = [...new Set([...known.map(({ name }) => name), ...PLAIN_POLICIES])];
  throw new EvenshareError(
    'EVS_USAGE',
    `no policy is called "${word}": there are ${names.join(', ')}; or name a file ending in .yaml`,
  );
}
