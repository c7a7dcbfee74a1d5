import { checkParts } from './check-parts.ts';
import { checkLevel, checkLevels, DEFAULT_DEGRADATION, type LevelParts } from './degradation-fields.ts';
import { type DisciplineParts, UNSAID, type Unsaid } from './discipline-fields.ts';
import { type Field, number, orUnlimited, pattern, text } from './field.ts';
import { DEFAULT_IN_FLIGHT_RATIO, DEFAULT_WAIT_BUDGET } from './guard-fields.ts';
import { list, type ReadList } from './list-fields.ts';
import { mistakeAt, placeOfKey } from './mistakes.ts';
import type { DegradationActionKind, PolicyCostUnit } from './policy.ts';
import { costUnitKey, disciplineKey, nameOfPolicyKey, settleKey } from './policy-fields.ts';
import { NO_QUEUE_LIMITS, NONE, NOTHING_SAID_OF_TENANT, type PolicyParts } from './policy-parts.ts';
import { durationOrNullKey, key, record } from './record.ts';
import { type GroupedTenantParts, gatewayTenantsField, queueLimitField } from './tenant-fields.ts';

interface AntiStarvationParts {
  readonly maxWaitMs: number | null;
  readonly boostShareMax: number;
  readonly perTenantBoostHourly: number;
}

interface DegradeParts {
  readonly name: string;
  readonly enterAbove: number;
  readonly leaveBelow: number | Unsaid;
  readonly action: { readonly kind: DegradationActionKind; readonly class: string };
}

interface FairQueueParts {
  readonly name: string | null;
  readonly costUnit: PolicyCostUnit;
  readonly settle: boolean | Unsaid;
  readonly discipline: DisciplineParts;
  readonly totalLimit: number;
  readonly tenants: ReadList<GroupedTenantParts>;
  readonly antiStarvation: AntiStarvationParts | null;
  readonly degrade: ReadList<LevelParts>;
}

const TENANT_DEFAULTS = {
  weight: '1',
  class: 'none',
  queueLimit: 'unlimited',
  quota: 'off',
  waitBudget: 'unlimited',
};

/** `> 0` and `≤ 1`, as a pattern says it. */
const LEVEL_NUMBER = '(?!0*\\.?0*\\s*$)(0?\\.[0-9]{1,15}|1(?:\\.0{1,15})?)';

function queueWater(sign: '>' | '<'): Field<number> {
  return pattern(
    `"queue_water ${sign} LEVEL" with a level over 0 and up to 1`,
    `^\\s*queue_water\\s*${sign}\\s*${LEVEL_NUMBER}\\s*$`,
    ([, level]) => Number(level),
  );
}

const ACTION_KINDS: readonly DegradationActionKind[] = ['pause', 'light_mode', 'throttle'];

const actionField: Field<DegradeParts['action']> = pattern(
  ACTION_KINDS.map((kind) => `${kind}_CLASS`).join(' or '),
  `^(${ACTION_KINDS.join('|')})_(.+)$`,
  ([, kind, className]) => ({
    kind: ACTION_KINDS.find((one) => one === kind) ?? 'pause',
    class: className ?? '',
  }),
);

const degradeField: Field<ReadList<LevelParts>> = asLevels(
  list(
    record<DegradeParts>(
      {
        name: key({ name: 'level', about: 'What the level is called.' }, text('a name, not empty')),
        enterAbove: key(
          { name: 'trigger', about: 'Entered when waiting ÷ limits exceeds the level.' },
          queueWater('>'),
        ),
        leaveBelow: key<number | Unsaid>(
          {
            name: 'recover',
            about: 'Left when it falls below.',
            absent: UNSAID,
            defaultText: '0.8 × the level of trigger',
          },
          queueWater('<'),
        ),
        action: key({ name: 'action', about: 'What it does to a class.' }, actionField),
      },
      {
        what: 'a mapping with level, trigger and action',
        check: ({ enterAbove, leaveBelow }, place) =>
          checkLevel(
            {
              ...(enterAbove === undefined ? {} : { enterAbove }),
              ...(leaveBelow === undefined ? {} : { leaveBelow }),
            },
            placeOfKey(place, 'recover'),
          ),
      },
    ),
    { what: 'a list of levels', unique: 'level' },
  ),
);

function asLevels(field: Field<ReadList<DegradeParts>>): Field<ReadList<LevelParts>> {
  return {
    ...field,
    read: (value, place) => {
      const degrade = field.read(value, place);
      if (degrade === undefined) return undefined;
      const items = degrade.items.map(({ value: { action, ...level }, place: at }) => ({
        value: { ...level, action: action.kind, class: action.class },
        place: at,
      }));
      checkLevels(items);
      return { items, isWhole: degrade.isWhole };
    },
  };
}

const antiStarvationField = record<AntiStarvationParts>(
  {
    boostShareMax: key(
      {
        name: 'boost_share_max',
        about: 'Part of the requests in flight that may have been moved ahead of their turn.',
        absent: DEFAULT_IN_FLIGHT_RATIO,
      },
      number({ from: 0, to: 1 }),
    ),
    perTenantBoostHourly: key(
      {
        name: 'per_tenant_boost_hourly',
        about: 'How often a tenant may be moved ahead in an hour.',
        absent: DEFAULT_WAIT_BUDGET.perTenantBoostHourly,
        defaultText: 'unlimited',
      },
      orUnlimited(number({ from: 0, whole: true })),
    ),
    maxWaitMs: durationOrNullKey<never>({
      name: 'max_wait',
      about: 'Requests that waited so long go first, whatever their budgets, within the same bounds.',
      absent: null,
    }),
  },
  {
    what: 'a mapping',
    check: ({ maxWaitMs, boostShareMax }, place) => {
      if (boostShareMax !== 0 || typeof maxWaitMs !== 'number') return;
      mistakeAt(placeOfKey(place, 'max_wait'), 'needs a boost_share_max over 0: nobody may be moved ahead');
    },
  },
);

/** What stands under `fair_queue:`, as gateways write it. */
function fairQueueField(weight: Field<number>): Field<FairQueueParts> {
  return record<FairQueueParts>(
    {
      name: nameOfPolicyKey,
      costUnit: costUnitKey('requests'),
      settle: settleKey,
      discipline: disciplineKey,
      totalLimit: key(
        {
          name: 'total_limit',
          about: 'Requests that may wait in all; the load that triggers look at is 0 while nothing has a limit.',
          absent: NO_QUEUE_LIMITS.totalLimit,
          defaultText: 'unlimited',
        },
        queueLimitField,
      ),
      tenants: key({ name: 'tenants', about: 'What holds for each.' }, gatewayTenantsField(weight, TENANT_DEFAULTS)),
      antiStarvation: key<AntiStarvationParts | null>(
        { name: 'anti_starvation', about: 'Bounds on moving requests ahead.', absent: null, defaultText: 'nobody is' },
        antiStarvationField,
      ),
      degrade: key(
        { name: 'degrade', about: 'Levels from mild to hard.', absent: NONE, defaultText: 'none' },
        degradeField,
      ),
    },
    {
      what: 'a mapping with tenants',
      check: (parts, place) =>
        checkParts(
          {
            costUnit: parts.costUnit,
            discipline: parts.discipline,
            tenants: parts.tenants,
            levels: parts.degrade,
            ...NOT_IN_FAIR_QUEUE,
          },
          place,
        ),
    },
  );
}

const NOT_IN_FAIR_QUEUE = {
  weights: NONE,
  classes: NONE,
  groups: NONE,
  defaultTenant: NOTHING_SAID_OF_TENANT,
  refuseUnknown: false,
  shuffleSharding: null,
  boost: null,
  circuitBreaker: null,
  sloWeights: null,
  adaptiveAdmission: null,
} as const;

function toPolicyParts(parts: FairQueueParts): PolicyParts {
  const { name, costUnit, settle, discipline, totalLimit, tenants, antiStarvation, degrade } = parts;
  const { maxWaitMs, boostShareMax, perTenantBoostHourly } = antiStarvation ?? NOBODY_AHEAD;
  return {
    ...NOT_IN_FAIR_QUEUE,
    name,
    costUnit,
    settle,
    discipline,
    queue: { ...NO_QUEUE_LIMITS, totalLimit },
    tenants,
    waitBudget: { ...DEFAULT_WAIT_BUDGET, boostShareMax, perTenantBoostHourly },
    starvationGuard:
      maxWaitMs === null ? null : { maxWaitMs, inFlightRatio: boostShareMax, perTenantHourly: perTenantBoostHourly },
    degradation: degrade.items.length === 0 ? null : { ...DEFAULT_DEGRADATION, levels: degrade },
  };
}

const NOBODY_AHEAD: AntiStarvationParts = { ...DEFAULT_WAIT_BUDGET, maxWaitMs: null };

/** A file whose only key is `fair_queue`. */
export function fairQueueFileField(weight: Field<number>): Field<PolicyParts> {
  const file = record<{ readonly fairQueue: FairQueueParts }>(
    { fairQueue: key({ name: 'fair_queue', about: 'A policy as gateways write it.' }, fairQueueField(weight)) },
    { what: 'a mapping' },
  );
  return {
    ...file,
    read: (value, place) => {
      const parts = file.read(value, place);
      return parts === undefined ? undefined : toPolicyParts(parts.fairQueue);
    },
  };
}
