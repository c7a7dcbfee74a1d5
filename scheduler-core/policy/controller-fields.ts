import { MINUTE_MS, SECOND_MS } from '../kernel/index.ts';
import { type Field, number } from './field.ts';
import { mistakeAt, placeOfKey } from './mistakes.ts';
import type { AdaptiveAdmissionPolicy, SloWeightsPolicy } from './policy.ts';
import { checkPeriod, durationKey, type Key, key, record } from './record.ts';

const MAPPING = { what: 'a mapping' };

const everyKey = (about: string, absent: number, defaultText: string): Key<number> =>
  durationKey({ name: 'every', about, absent, defaultText });
const leastKey = (about: string, absent: number): Key<number> =>
  key({ name: 'least_factor', about, absent }, number({ above: 0, to: 1 }));
const mostKey = (about: string, absent: number): Key<number> =>
  key({ name: 'most_factor', about, absent }, number({ from: 1 }));

export const sloWeightsField: Field<SloWeightsPolicy> = record<SloWeightsPolicy>(
  {
    everyMs: everyKey('How often weights are looked at.', 30 * SECOND_MS, '30s'),
    windowMs: durationKey({
      name: 'window',
      about: 'Attainment is that of this span.',
      absent: 5 * MINUTE_MS,
      defaultText: '5m',
    }),
    amplification: key(
      { name: 'amplification', about: 'Weight = base × (1 + amplification × missing attainment).', absent: 5 },
      number({ from: 0 }),
    ),
    deadBandRatio: key(
      { name: 'dead_band_ratio', about: 'A smaller relative change is not made.', absent: 0.05 },
      number({ from: 0 }),
    ),
    stepRatio: key(
      { name: 'step_ratio', about: 'The largest relative change at once.', absent: 0.2 },
      number({ above: 0 }),
    ),
    minSamples: key(
      { name: 'min_samples', about: 'A class with fewer requests in the window keeps its weight.', absent: 20 },
      number({ from: 1, whole: true }),
    ),
    leastFactor: leastKey('The least multiple of its base that a weight may fall to.', 0.2),
    mostFactor: mostKey('The largest multiple of its base that a weight may rise to.', 5),
  },
  {
    ...MAPPING,
    check: ({ everyMs, windowMs }, place) => {
      checkPeriod(everyMs, place);
      if (everyMs === undefined || windowMs === undefined || everyMs <= windowMs) return;
      mistakeAt(placeOfKey(place, 'every'), 'must not be longer than window');
    },
  },
);

export const adaptiveAdmissionField: Field<AdaptiveAdmissionPolicy> = record<AdaptiveAdmissionPolicy>(
  {
    everyMs: everyKey('How often refill rates are looked at.', SECOND_MS, '1s'),
    targetLoadRatio: key(
      { name: 'target_load_ratio', about: 'Load to hold: waiting requests ÷ limits.', absent: 0.5 },
      number({ above: 0, below: 1 }),
    ),
    gain: key(
      { name: 'gain', about: 'Factor = 1 + gain × (target_load_ratio − load).', absent: 1 },
      number({ above: 0 }),
    ),
    leastFactor: leastKey('The least factor on refill rates.', 0.1),
    mostFactor: mostKey('The largest factor on refill rates; over 1 they may exceed what quotas say.', 1),
  },
  { ...MAPPING, check: ({ everyMs }, place) => checkPeriod(everyMs, place) },
);
