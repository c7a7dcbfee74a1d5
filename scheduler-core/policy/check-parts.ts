import type { LevelParts } from './degradation-fields.ts';
import { DEFAULT_QUANTUM_COST, UNSAID } from './discipline-fields.ts';
import type { Item, ReadList } from './list-fields.ts';
import { didYouMean, mistakeAt, type Place, placeOfKey, quote } from './mistakes.ts';
import type { PolicyParts } from './policy-parts.ts';
import type { TenantParts } from './tenant-fields.ts';

/** The parts of a policy that are right by themselves; those that are not are undefined. */
type Seen<Parts> = { readonly [Property in keyof Parts]?: Parts[Property] | undefined };

export type SeenParts = Seen<
  Pick<PolicyParts, 'costUnit' | 'discipline' | 'defaultTenant' | 'tenants' | 'weights' | 'classes' | 'groups'> &
    Pick<PolicyParts, 'sloWeights' | 'shuffleSharding'>
> & { readonly levels: ReadList<LevelParts> | undefined };

/** What parts of a policy say of each other: nobody named twice, no class or group that is none, every tenant served. */
export function checkParts(parts: SeenParts, place: Place): void {
  checkTenantsOnce(parts);
  checkClasses(parts, place);
  checkGroups(parts);
  checkGrants(parts, place);
  checkHolds(parts, place);
  const { classes, sloWeights } = parts;
  const mayHaveTarget = classes?.isWhole !== true || classes.items.some(({ value }) => value.target !== null);
  if (sloWeights && !mayHaveTarget) mistakeAt(placeOfKey(place, 'slo_weights'), 'needs a class with a target');
}

function checkTenantsOnce({ tenants, weights }: SeenParts): void {
  const firstOf = new Map(tenants?.items.map(({ value, place }) => [value.name, place]));
  for (const { value, place } of weights?.items ?? []) {
    const first = firstOf.get(value.name);
    if (first !== undefined) mistakeAt(place, `is already named by ${first.path}`);
  }
}

/** Every class that is named: by `classes` where that stands, else by tenants and by the order of `priority`. */
function checkClasses(parts: SeenParts, place: Place): void {
  const { classes, tenants, defaultTenant, discipline, levels } = parts;
  const order = discipline?.kind === 'priority' && discipline.order !== UNSAID ? discipline.order.items : [];
  refuseTwins(order);
  const ofDefault = typeof defaultTenant?.class === 'string' ? [defaultTenant.class] : [];
  const ofTenants = (tenants?.items ?? []).flatMap(({ value, place: at }) =>
    typeof value.class === 'string' ? [{ value: value.class, place: placeOfKey(at, 'class') }] : [],
  );
  const isListed = classes !== undefined && (classes.items.length > 0 || !classes.isWhole);
  // Where a part could not be read, it may be the one that names the class.
  const isKnownWhole = isListed
    ? classes.isWhole
    : [classes, defaultTenant, discipline].every((part) => part !== undefined) && tenants?.isWhole === true;
  if (!isKnownWhole) return;
  const known = new Set(
    isListed
      ? classes.items.map(({ value }) => value.name)
      : [...[...order, ...ofTenants].map(({ value }) => value), ...ofDefault],
  );
  const named = [
    ...order,
    ...ofTenants,
    ...ofDefault.map((value) => ({ value, place: placeOfKey(placeOfKey(place, 'default_tenant'), 'class') })),
    ...(levels?.items ?? []).map(({ value, place: at }) => ({ value: value.class, place: at })),
  ];
  const names = [...known];
  for (const { value, place: at } of named) {
    if (known.has(value)) continue;
    mistakeAt(at, `names the class ${quote(value)}${didYouMean(value, names)}, which is none of ${listSome(names)}`);
  }
  if (discipline?.kind === 'priority' && known.size === 0) {
    mistakeAt(placeOfKey(place, 'discipline'), 'priority needs classes: name them in order, in classes or of tenants');
  }
}

/** Where `groups` stands, it has every group that tenants name. */
function checkGroups({ groups, tenants }: SeenParts): void {
  if (groups?.isWhole !== true || groups.items.length === 0) return;
  const known = new Set(groups.items.map(({ value }) => value.name));
  const names = [...known];
  for (const { value, place } of tenants?.items ?? []) {
    if (value.group === null || known.has(value.group)) continue;
    const hint = didYouMean(value.group, names);
    mistakeAt(
      placeOfKey(place, 'group'),
      `names the group ${quote(value.group)}${hint}, which is none of ${listSome(names)}`,
    );
  }
}

const SHOWN_NAMES = 10;

function listSome(names: readonly string[]): string {
  if (names.length === 0) return 'the classes, as there are none';
  const shown = names.slice(0, SHOWN_NAMES).map(quote).join(', ');
  return names.length > SHOWN_NAMES ? `${shown} and ${names.length - SHOWN_NAMES} more` : shown;
}

function refuseTwins(names: readonly Item<string>[]): void {
  const seen = new Set<string>();
  for (const { value, place } of names) {
    if (seen.has(value)) mistakeAt(place, `${quote(value)} stands here twice`);
    seen.add(value);
  }
}

/** Under deficit round robin a grant that rounds to nothing would never serve, and one that is boundless is no share. */
function checkGrants({ discipline, costUnit, tenants, weights, defaultTenant }: SeenParts, place: Place): void {
  if (discipline?.kind !== 'drr' || costUnit === undefined) return;
  const quantumCost = discipline.quantumCost === UNSAID ? DEFAULT_QUANTUM_COST[costUnit] : discipline.quantumCost;
  const check = (weight: number, at: Place): void => {
    const grant = quantumCost * weight;
    if (weight > 0 && (grant === 0 || !Number.isFinite(grant))) {
      mistakeAt(at, `quantum × weight is ${grant}: must be finite and > 0 (quantum ${quantumCost}, weight ${weight})`);
    }
  };
  for (const { value, place: at } of tenants?.items ?? []) {
    if (value.weight !== UNSAID) check(value.weight, placeOfKey(at, 'weight'));
  }
  for (const { value, place: at } of weights?.items ?? []) check(value.value, at);
  if (defaultTenant !== undefined && defaultTenant.weight !== UNSAID) {
    check(defaultTenant.weight, placeOfKey(placeOfKey(place, 'default_tenant'), 'weight'));
  }
}

/** A tenant can be held back only where it has a queue of its own. */
function checkHolds({ discipline, shuffleSharding, tenants, defaultTenant }: SeenParts, place: Place): void {
  const hasOwnQueues = discipline?.kind !== 'fifo' && discipline?.kind !== 'priority' && !shuffleSharding;
  if (hasOwnQueues) return;
  const check = ({ quota }: TenantParts, at: Place): void => {
    if (quota === UNSAID || quota?.mode !== 'hold') return;
    mistakeAt(
      placeOfKey(placeOfKey(at, 'quota'), 'mode'),
      'hold needs a queue for each tenant (wfq, wf2q, drr or vtc, without shuffle_sharding): use refuse',
    );
  };
  if (defaultTenant !== undefined) check(defaultTenant, placeOfKey(place, 'default_tenant'));
  for (const { value, place: at } of tenants?.items ?? []) check(value, at);
}

/** Controllers that look at the load, which is 0 for ever where nothing has a limit. */
export function checkLimits(parts: Partial<PolicyParts>, place: Place): void {
  const { queue, tenants, defaultTenant } = parts;
  if (queue === undefined || defaultTenant === undefined || tenants?.isWhole !== true) return;
  const all = [defaultTenant, ...tenants.items.map(({ value }) => value)];
  const limits = [queue.totalLimit, queue.perTenantLimit, ...all.map(({ queueLimit }) => queueLimit)];
  const hasLimit = limits.some((limit) => typeof limit === 'number' && Number.isFinite(limit));
  const missing = 'needs a limit to compare with: set queue.total_limit or queue.per_tenant_limit';
  if (parts.degradation && !hasLimit) mistakeAt(placeOfKey(place, 'degradation'), missing);
  if (!parts.adaptiveAdmission) return;
  const at = placeOfKey(place, 'adaptive_admission');
  if (!hasLimit) mistakeAt(at, missing);
  const hasQuota = all.some(({ quota }) => quota !== UNSAID && quota !== null);
  if (!hasQuota) mistakeAt(at, 'needs a quota of some tenant: it scales their refill rates');
}
