import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import { EvenshareError } from '../scheduler-core/kernel/index.ts';

/**
 * The weights that a policy file gives: `fair_queue.tenants: [{ name, weight }]` or `weights: { TENANT: WEIGHT }`.
 * What else a policy says (quotas, guards) has no part in fair shares and is not read here.
 *
 * @throws EVS_POLICY with every mistake.
 */
export async function readPolicyWeights(path: string): Promise<Record<string, number>> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new EvenshareError('EVS_POLICY', `cannot read the policy "${path}": check --policy`, { cause });
  });
  const document = parseDocument(text);
  const mistakes = document.errors.map((error) => error.message.split('\n')[0] ?? error.message);
  const weights: Record<string, number> = {};
  if (mistakes.length === 0) collectWeights(document.toJS(), weights, mistakes);
  if (mistakes.length > 0) throw new EvenshareError('EVS_POLICY', `policy "${path}": ${mistakes.join('; ')}`);
  return weights;
}

function collectWeights(policy: unknown, weights: Record<string, number>, mistakes: string[]): void {
  const take = (where: string, tenant: unknown, weight: unknown): void => {
    if (typeof tenant !== 'string' || tenant === '') mistakes.push(`${where}: a tenant needs a name`);
    else if (typeof weight !== 'number' || !(weight >= 0) || !Number.isFinite(weight)) {
      mistakes.push(`${where}: the weight must be a number ≥ 0`);
    } else weights[tenant] = weight;
  };
  if (!isRecord(policy)) {
    mistakes.push('must be a mapping with "fair_queue" or "weights"');
    return;
  }
  if (isRecord(policy.weights)) {
    for (const [tenant, weight] of Object.entries(policy.weights)) take(`weights.${tenant}`, tenant, weight);
    return;
  }
  const tenants = isRecord(policy.fair_queue) ? policy.fair_queue.tenants : undefined;
  if (!Array.isArray(tenants)) {
    mistakes.push('names no weights: expected "weights" or "fair_queue.tenants"');
    return;
  }
  for (const [index, tenant] of tenants.entries()) {
    const where = `fair_queue.tenants[${index}]`;
    if (isRecord(tenant)) take(where, tenant.name, tenant.weight ?? 1);
    else mistakes.push(`${where}: must be a mapping with "name" and "weight"`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
