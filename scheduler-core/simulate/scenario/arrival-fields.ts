import { SECOND_MS } from '../../kernel/index.ts';
import { choice, type Field, number } from '../../policy/field.ts';
import { list } from '../../policy/list-fields.ts';
import { mistakeAt } from '../../policy/mistakes.ts';
import { byKind, durationKey, type Key, key, record } from '../../policy/record.ts';
import type { ArrivalProcess, Burst, RenewalWindow } from '../arrival-process.ts';
import { constantRate, type RateSpan, rateInSpans, type Span } from '../rate-profile.ts';
import { type GapDistribution, scaleForMean } from '../samplers.ts';
import { checkSpans, fromKey, kindKey, MAPPING, mapped, toKey, valuesOf } from './common-fields.ts';

const MOST_IN_BURST = 10_000_000;

const rateKey: Key<number> = key({ name: 'rate_rps', about: 'Requests per second, on average.' }, number({ from: 0 }));

const poisson = mapped(
  record<{ kind: 'poisson'; rateRps: number; spans: readonly RateSpan[] }>(
    {
      kind: kindKey('poisson', 'Independent of each other.'),
      rateRps: rateKey,
      spans: key(
        { name: 'spans', about: 'Spans with another rate.', absent: [], defaultText: 'none' },
        valuesOf(
          list(record<RateSpan>({ fromMs: fromKey, toMs: toKey, rateRps: rateKey }, MAPPING), {
            what: 'a list of spans',
            check: checkSpans,
          }),
        ),
      ),
    },
    MAPPING,
  ),
  ({ rateRps, spans }): ArrivalProcess => ({
    kind: 'poisson',
    rate: spans.length === 0 ? constantRate(rateRps) : rateInSpans(rateRps, spans),
  }),
);

const periodic = mapped(
  record<{ kind: 'periodic'; everyMs: number; fromMs: number; toMs: number }>(
    {
      kind: kindKey('periodic', 'One after another at equal distances.'),
      everyMs: durationKey<never>({ name: 'every', about: 'The distance.' }),
      fromMs: durationKey({ name: 'from', about: 'The first one.', absent: 0, defaultText: '0s' }, { zero: true }),
      toMs: durationKey(
        { name: 'to', about: 'None from then on.', absent: Number.POSITIVE_INFINITY, defaultText: 'the duration' },
        { zero: true },
      ),
    },
    MAPPING,
  ),
  (parts): ArrivalProcess => parts,
);

const burstField = record<Burst>(
  {
    atMs: durationKey<never>({ name: 'at', about: 'The first request.' }, { zero: true }),
    count: key({ name: 'count', about: 'How many.' }, number({ from: 1, to: MOST_IN_BURST, whole: true })),
    gapMs: durationKey({ name: 'gap', about: 'The distance.', absent: 0, defaultText: '0s' }, { zero: true }),
  },
  MAPPING,
);

const bursts = mapped(
  record<{ kind: 'bursts'; bursts: readonly Burst[] }>(
    {
      kind: kindKey('bursts', 'Many at once.'),
      bursts: key(
        { name: 'bursts', about: 'Each of them.' },
        valuesOf(list(burstField, { what: 'a list of bursts', least: 1 })),
      ),
    },
    MAPPING,
  ),
  (parts): ArrivalProcess => parts,
);

const GAPS: ReadonlyMap<string, GapDistribution> = new Map([
  ['gamma', 'gamma'],
  ['weibull', 'weibull'],
]);

const windowField = mapped(
  record<Span & { distribution: GapDistribution; shape: number; rateRps: number }>(
    {
      fromMs: fromKey,
      toMs: toKey,
      distribution: key({ name: 'distribution', about: 'Of the gaps.' }, choice(GAPS)),
      shape: key({ name: 'shape', about: 'Below 1: burstier than chance.' }, number({ above: 0, to: 1000 })),
      rateRps: key({ name: 'rate_rps', about: 'Requests per second, on average.' }, number({ above: 0 })),
    },
    MAPPING,
  ),
  ({ fromMs, toMs, distribution, shape, rateRps }): RenewalWindow => ({
    fromMs,
    toMs,
    distribution,
    shape,
    scaleMs: scaleForMean(distribution, shape, SECOND_MS / rateRps),
  }),
);

const renewal = mapped(
  record<{ kind: 'renewal'; windows: readonly RenewalWindow[] }>(
    {
      kind: kindKey('renewal', 'Independent gaps of one distribution.'),
      windows: key(
        { name: 'windows', about: 'Spans, each with a distribution.' },
        valuesOf(list(windowField, { what: 'a list of windows', least: 1, check: checkSpans })),
      ),
    },
    MAPPING,
  ),
  (parts): ArrivalProcess => parts,
);

const recorded = mapped(
  record<{ kind: 'recorded'; atMs: readonly number[] }>(
    {
      kind: kindKey('recorded', 'At the times listed.'),
      atMs: key(
        { name: 'at_ms', about: 'Milliseconds from the start, ascending.' },
        valuesOf(
          list(number({ from: 0 }), {
            what: 'a list of times',
            check: (items) => {
              for (const [index, { value, place }] of items.entries()) {
                if (value < (items[index - 1]?.value ?? 0)) mistakeAt(place, 'must not be before the time before it');
              }
            },
          }),
        ),
      ),
    },
    MAPPING,
  ),
  (parts): ArrivalProcess => parts,
);

/** When requests come. */
export const arrivalsField = byKind<ArrivalProcess>(
  new Map<string, Field<ArrivalProcess>>([
    ['poisson', poisson],
    ['periodic', periodic],
    ['bursts', bursts],
    ['renewal', renewal],
    ['recorded', recorded],
  ]),
);
