import { readFile } from 'node:fs/promises';
import { EvenshareError, type Policy, parsePolicy, parsePolicyWeights } from '../scheduler-core/index.ts';

/**
 * The policy of a file.
 *
 * @throws EVS_POLICY with every mistake.
 */
export async function readPolicy(path: string): Promise<Policy> {
  return parsePolicy(await readText(path), { name: path });
}

/**
 * The weights that a policy file gives, for fair shares: unlike schedulers they know weight 0.
 *
 * @throws EVS_POLICY with every mistake.
 */
export async function readPolicyWeights(path: string): Promise<Record<string, number>> {
  // Makes own properties of all names, `__proto__` too.
  return Object.fromEntries(parsePolicyWeights(await readText(path), { name: path }));
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new EvenshareError('EVS_POLICY', `cannot read the policy "${path}": check --policy`, { cause });
  });
}
