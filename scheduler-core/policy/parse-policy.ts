import { assertInvariant } from '../kernel/index.ts';
import { buildPolicy } from './build-policy.ts';
import { fairQueueFileField } from './fair-queue-fields.ts';
import { entriesOf, type Field, type JsonSchema } from './field.ts';
import { describeValue, Mistakes, quote } from './mistakes.ts';
import type { Policy } from './policy.ts';
import { policyField } from './policy-fields.ts';
import type { PolicyParts } from './policy-parts.ts';
import { readYaml } from './read-yaml.ts';
import { weightField } from './tenant-fields.ts';

export interface ParsePolicyOptions {
  /** The file's name: for messages, and what the policy is called where it does not say it. */
  readonly name?: string;
  /** Tenants may have weight 0, as analytics knows it and no scheduler does. Default false. */
  readonly allowsZeroWeight?: boolean;
}

interface PolicyForms {
  readonly fairQueue: Field<PolicyParts>;
  readonly fuller: Field<PolicyParts>;
}

function declareForms(weight: Field<number>): PolicyForms {
  return { fairQueue: fairQueueFileField(weight), fuller: policyField(weight) };
}

const SCHEDULER_FORMS = declareForms(weightField({ zero: false }));
const ANALYTICS_FORMS = declareForms(weightField({ zero: true }));

/** How the policy is called where neither the file nor the caller names it. */
const DEFAULT_NAME = 'policy';

/**
 * A policy from YAML or JSON text, or from what such a text holds (mappings as objects or Maps), every default filled in.
 * Two forms: `fair_queue:` as gateways write it, and the fuller one in which every field of `Policy` can be said;
 * `docs/policies.md` describes both, `policySchema` checks them in editors.
 *
 * @throws EVS_POLICY in one line: for text that is no YAML, where (line and column); else every mistake with its path
 * and what is allowed there.
 */
export function parsePolicy(source: unknown, options: ParsePolicyOptions = {}): Policy {
  const forms = options.allowsZeroWeight === true ? ANALYTICS_FORMS : SCHEDULER_FORMS;
  return buildPolicy(readParts(source, forms, options), options.name ?? DEFAULT_NAME);
}

/**
 * The weights of tenants that a policy names, as analytics takes them: 0 is a weight too. Where tenants that are not
 * named have another weight than 1, weights are given relative to theirs.
 *
 * @throws EVS_POLICY as `parsePolicy` does, and for a weight of 0 for tenants that are not named.
 */
export function parsePolicyWeights(source: unknown, options: ParsePolicyOptions = {}): ReadonlyMap<string, number> {
  const { tenants, defaultTenant } = buildPolicy(readParts(source, ANALYTICS_FORMS, options), DEFAULT_NAME);
  const unit = defaultTenant.weight;
  const mistakes = new Mistakes();
  if (unit === 0) mistakes.add('default_tenant.weight: must be > 0: other weights are relative to it');
  mistakes.throwIfAny(subjectOf(options));
  return new Map(Array.from(tenants, ([tenant, { weight }]) => [tenant, weight / unit]));
}

function readParts(source: unknown, forms: PolicyForms, options: ParsePolicyOptions): PolicyParts {
  const subject = subjectOf(options);
  const value = typeof source === 'string' ? readYaml(source, subject) : source;
  const mistakes = new Mistakes();
  const entries = entriesOf(value);
  if (entries === null) {
    mistakes.add(`must be a mapping with fair_queue, or with keys such as discipline, not ${describeValue(value)}`);
  }
  const isFairQueue = [...(entries ?? [])].some(([key]) => key === 'fair_queue');
  const place = { path: '', mistakes };
  const parts = entries === null ? undefined : (isFairQueue ? forms.fairQueue : forms.fuller).read(value, place);
  mistakes.throwIfAny(subject);
  assertInvariant(parts !== undefined, 'a policy without mistakes has been read');
  return parts;
}

function subjectOf({ name }: ParsePolicyOptions): string {
  return name === undefined ? 'the policy' : `policy ${quote(name)}`;
}

/** The JSON schema of policy files, for editors: what `parsePolicy` accepts but for what keys say of each other. */
export const policySchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Evenshare policy',
  type: 'object',
  if: { required: ['fair_queue'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
  then: SCHEDULER_FORMS.fairQueue.schema,
  else: SCHEDULER_FORMS.fuller.schema,
};
