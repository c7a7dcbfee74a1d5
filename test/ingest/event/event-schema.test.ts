import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DECISION_FIELDS } from '../../../ingest/event/event-fields.ts';
import { DecisionEventSchema } from '../../../ingest/event/event-schema.ts';
import { parseDecision } from '../../../ingest/event/parse-event.ts';
import { LEAST, OPTIONS, verdictOf } from './wire.ts';

const SEED = 20_260_302;
const validate = new Ajv({ strict: true, allErrors: false, allowUnionTypes: true, validateFormats: true }).compile(
  DecisionEventSchema,
);

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    '\u0000',
    'a\u0085',
    '\ud83e',
    '🦊'.repeat(64),
    '🦊'.repeat(65),
    '🦊'.repeat(128),
    '🦊'.repeat(129),
  ),
);
/** Times whose calendar is sound and that are away from the ends of the range: there only the parser decides. */
const times = fc.oneof(
  fc.integer({ min: 1_000_000_000_000, max: 2_000_000_000_000 }),
  fc.integer({ min: 1_000_000_000_000, max: 2_000_000_000_000 }).map((timeMs) => new Date(timeMs).toISOString()),
  fc.constantFrom('2026-03-02T10:15:60z', '2026-03-02t10:15:04.5+23:59', '2026-03-02T10:15:04', '2026-03-02T24:00:00Z'),
  fc.constantFrom(
    '',
    'x',
    '2026-13-02T10:15:04Z',
    '2026-03-02 10:15:04Z',
    '2026-03-02T10:15:04.Z',
    '2026-03-02T10:15:04+24:00',
  ),
  fc.constantFrom(0, -1, 1_772_446_504, 1_772_446_504_127_000, 1_772_446_504_127.5),
);
const figures = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -2, max: 70_000 }),
  fc.constantFrom(0, -0, 1, 0.5, 2 ** 53 - 1, 2 ** 53, 65_535, 65_536),
);
const anything = fc.oneof(texts, times, figures, fc.boolean(), fc.constant(null), fc.constant({}), fc.constant([]));

const fitting: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  schema: fc.constantFrom('evenshare.decision.v1', null, 'evenshare.decision.v2'),
  request_id: texts,
  pool: texts,
  tenant: texts,
  class: texts,
  gateway: texts,
  original_request_id: texts,
  arrived_at: times,
  dispatched_at: times,
  completed_at: times,
  outcome: fc.constantFrom('admitted', 'rejected', 'other', null),
  reason: fc.constantFrom('quota', 'other', 'because', null),
  status: fc.constantFrom('ok', 'cancelled', 'OK', null),
  promoted: fc.boolean(),
};

/** A decision with up to four fields of any kind, mostly of the right one. */
const records = fc
  .subarray([...DECISION_FIELDS], { maxLength: 4 })
  .chain((fields) => {
    const values = fields.map(
      (field) => [field, fc.oneof({ weight: 4, arbitrary: fitting[field] ?? figures }, anything)] as const,
    );
    return fc.record(Object.fromEntries(values));
  })
  .chain((fields) => fc.constantFrom({ ...LEAST, ...fields }, { ...LEAST, unknown: 1, ...fields }, fields));

describe('the published schema', () => {
  test('names every field of the wire form, and no other', () => {
    expect(Object.keys(DecisionEventSchema.properties)).toEqual([...DECISION_FIELDS]);
  });

  test('accepts a record exactly when the parser makes a decision of it', () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(records, (record) => {
        const outcome = parseDecision(record, OPTIONS);
        const isValid = validate(record);
        if (isValid) accepted++;
        else refused++;
        const told = `${verdictOf(outcome)} / ${JSON.stringify(validate.errors?.[0])} / ${JSON.stringify(record)}`;
        expect(isValid, told).toBe(outcome.kind === 'decision');
      }),
      { seed: SEED, numRuns: 20_000 },
    );
    expect(Math.min(accepted, refused), 'both verdicts are common, or the test says nothing').toBeGreaterThan(2000);
  });
});
