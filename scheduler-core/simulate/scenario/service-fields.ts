import { type Field, number } from '../../policy/field.ts';
import { mistakeAt } from '../../policy/mistakes.ts';
import { byKind, durationKey, key, record } from '../../policy/record.ts';
import type { EstimateError, ServiceModel, SizeDistribution } from '../request-size.ts';
import { checkRange, kindKey, MAPPING, mapped } from './common-fields.ts';

/** Service as a file says it: sizes, and how they become time. */
export interface ServiceParts {
  readonly size: SizeDistribution;
  readonly baseMs: number;
  readonly perUnitMs: number;
  /** What sizes are. */
  readonly of: 'ms' | 'tokens';
}

const meanKey = durationKey<never>({ name: 'mean', about: 'On average.' });

function inMs(size: SizeDistribution): ServiceParts {
  return { size, baseMs: 0, perUnitMs: 1, of: 'ms' };
}

/** How long a slot is busy with a request. */
export const serviceField = byKind<ServiceParts>(
  new Map<string, Field<ServiceParts>>([
    [
      'constant',
      mapped(
        record<{ kind: 'constant'; timeMs: number }>(
          {
            kind: kindKey('constant', 'Always the same.'),
            timeMs: durationKey<never>({ name: 'time', about: 'How long.' }),
          },
          MAPPING,
        ),
        ({ timeMs }) => inMs({ kind: 'constant', value: timeMs }),
      ),
    ],
    [
      'exponential',
      mapped(
        record<{ kind: 'exponential'; meanMs: number }>(
          { kind: kindKey('exponential', 'Exponentially distributed.'), meanMs: meanKey },
          MAPPING,
        ),
        ({ meanMs }) => inMs({ kind: 'exponential', mean: meanMs }),
      ),
    ],
    [
      'uniform',
      mapped(
        record<{ kind: 'uniform'; from: number; to: number }>(
          {
            kind: kindKey('uniform', 'Equally likely within bounds.'),
            from: durationKey<never>({ name: 'from', about: 'The shortest.' }, { zero: true }),
            to: durationKey<never>({ name: 'to', about: 'The longest.' }),
          },
          { ...MAPPING, check: checkRange },
        ),
        ({ from, to }) => inMs({ kind: 'uniform', from, to }),
      ),
    ],
    [
      'lognormal',
      mapped(
        record<{ kind: 'lognormal'; meanMs: number; sigma: number }>(
          {
            kind: kindKey('lognormal', 'A few take very long.'),
            meanMs: meanKey,
            sigma: key({ name: 'sigma', about: 'Standard deviation of the logarithm.' }, number({ from: 0, to: 10 })),
          },
          MAPPING,
        ),
        ({ meanMs, sigma }) => inMs({ kind: 'lognormal', mean: meanMs, sigma }),
      ),
    ],
    [
      'tokens',
      mapped(
        record<{ kind: 'tokens'; baseMs: number; perTokenMs: number; from: number; to: number }>(
          {
            kind: kindKey('tokens', 'A base and so much for each token; their number is equally likely within bounds.'),
            baseMs: durationKey({ name: 'base', about: 'The base.', absent: 0, defaultText: '0s' }, { zero: true }),
            perTokenMs: durationKey<never>({ name: 'per_token', about: 'For each token.' }),
            from: key({ name: 'from', about: 'The fewest tokens.' }, number({ from: 0, whole: true })),
            to: key({ name: 'to', about: 'The most tokens.' }, number({ from: 0, whole: true })),
          },
          { ...MAPPING, check: checkRange },
        ),
        ({ baseMs, perTokenMs, from, to }) => ({
          size: { kind: 'uniform_whole', from, to },
          baseMs,
          perUnitMs: perTokenMs,
          of: 'tokens',
        }),
      ),
    ],
  ]),
);

function errorField<Kind extends 'estimate_is_actual_times' | 'actual_is_estimate_times'>(
  kind: Kind,
  about: string,
): Field<EstimateError> {
  return record<{ kind: Kind; from: number; to: number }>(
    {
      kind: kindKey(kind, about),
      from: key({ name: 'from', about: 'The least factor.' }, number({ from: 0 })),
      to: key({ name: 'to', about: 'The largest factor.' }, number({ from: 0 })),
    },
    { ...MAPPING, check: checkRange },
  ) as Field<EstimateError>;
}

/** What the scheduler is told of a request. */
export const estimateField = byKind<EstimateError>(
  new Map<string, Field<EstimateError>>([
    [
      'exact',
      mapped(record<{ kind: 'exact' }>({ kind: kindKey('exact', 'As it turns out.') }, MAPPING), () => ({
        kind: 'none',
      })),
    ],
    [
      'estimate_is_actual_times',
      errorField('estimate_is_actual_times', 'The estimate is the actual size times a factor by chance.'),
    ],
    [
      'actual_is_estimate_times',
      errorField('actual_is_estimate_times', 'The actual size is the estimate times a factor by chance.'),
    ],
  ]),
);

/** What a request costs. */
export const costField: Field<ServiceModel['cost']> = {
  allowed: 'tokens, service_ms, or a number ≥ 0',
  schema: { anyOf: [{ enum: ['tokens', 'service_ms'] }, { type: 'number', minimum: 0 }] },
  read: (value, place) => {
    if (value === 'tokens') return 'size';
    if (value === 'service_ms') return value;
    if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value;
    return mistakeAt(place, 'must be tokens, service_ms, or a number ≥ 0');
  },
};
