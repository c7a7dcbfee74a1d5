import { EvenshareError } from '../../kernel/index.ts';
import { choice, type Field, text } from '../../policy/field.ts';
import { list } from '../../policy/list-fields.ts';
import { didYouMean, mistakeAt, type Place, placeOfKey } from '../../policy/mistakes.ts';
import { parsePolicy } from '../../policy/parse-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import { key, record } from '../../policy/record.ts';
import { valuesOf } from './common-fields.ts';
import { MECHANISMS, withoutMechanisms } from './without-mechanism.ts';

interface PolicyEntry {
  readonly name: string;
  /** As a policy file holds it; undefined where `like` names another. */
  readonly policy: unknown;
  readonly like: string | null;
  readonly without: readonly string[];
}

/** Stands for an absent mapping; what stands there is for `parsePolicy` to judge. */
const anything: Field<unknown> = {
  allowed: 'a policy as in a policy file',
  schema: {},
  read: (value) => value ?? null,
};

const policyEntryField = record<PolicyEntry>(
  {
    name: key({ name: 'name', about: 'What the results call it.' }, text('a name, not empty')),
    policy: key<unknown>(
      { name: 'policy', about: 'As in a policy file.', absent: null, defaultText: 'that of like' },
      anything,
    ),
    like: key<string | null>(
      { name: 'like', about: 'The name of a policy listed before it.', absent: null, defaultText: 'none' },
      text('the name of a policy'),
    ),
    without: key<readonly string[]>(
      {
        name: 'without',
        about: `What it leaves out of it: ${MECHANISMS.join(', ')}.`,
        absent: [],
        defaultText: 'nothing',
      },
      valuesOf(list(choice(new Map(MECHANISMS.map((name) => [name, name]))), { what: 'a list of mechanisms' })),
    ),
  },
  { what: 'a mapping with name and policy, or name and like' },
);

const policyEntriesField = list(policyEntryField, { what: 'a list of policies, not empty', least: 1, unique: 'name' });

/** The policies; one may build on those before it. */
export const policiesField: Field<readonly Policy[]> = {
  ...policyEntriesField,
  read: (value, place) => {
    const entries = policyEntriesField.read(value, place);
    if (entries === undefined) return undefined;
    const known = new Map<string, Policy>();
    for (const { value: entry, place: at } of entries.items) {
      const policy = readPolicy(entry, at, known);
      if (policy !== undefined) known.set(entry.name, withoutMechanisms(policy, entry.name, entry.without));
    }
    return entries.isWhole && known.size === entries.items.length ? [...known.values()] : undefined;
  },
};

function readPolicy(
  { name, policy, like }: PolicyEntry,
  place: Place,
  known: ReadonlyMap<string, Policy>,
): Policy | undefined {
  if ((policy === null) === (like === null)) return mistakeAt(place, 'needs either policy or like');
  if (like !== null) {
    const found = known.get(like);
    const hint = didYouMean(like, [...known.keys()]);
    return found ?? mistakeAt(placeOfKey(place, 'like'), `names no policy listed before it${hint}`);
  }
  try {
    return parsePolicy(policy, { name });
  } catch (error) {
    if (!(error instanceof EvenshareError) || error.code !== 'EVS_POLICY') throw error;
    return mistakeAt(place, error.message);
  }
}
