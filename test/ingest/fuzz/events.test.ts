import { test } from 'vitest';
import { parseEventText } from '../../../ingest/event/parse-event.ts';
import { OPTIONS } from '../event/wire.ts';
import { Mutator } from './mutate.ts';
import { INPUTS, Watch } from './watch.ts';

const SEED = 20_260_302;

const SEEDS_OF_INPUT = [
  '{"schema":"evenshare.decision.v1","request_id":"r1","pool":"llm-a","tenant":"acme","arrived_at":1772446504127,"cost":1}',
  '{"request_id":"r1","tenant":"🦊","arrived_at":"2026-03-02T10:15:04.127+02:00","outcome":"rejected","reason":"quota"}',
  '{"specversion":"1.0","id":"e","source":"s","type":"t","time":"2026-03-02T10:15:04Z","data":{"tenant":"a","x":[{"y":1}]}}',
  '{"schema":"evenshare.pool.v1","pool":"p","at":1772446504127,"slots":8}',
  '{"schema":"evenshare.coverage.v1","gateway":"g","from":1772446504127,"to":1772446564127,"decisions":3}',
];

test(`${INPUTS} mutated lines each have an outcome and none throws (seed ${SEED})`, () => {
  const mutator = new Mutator(SEED);
  const watch = new Watch();
  for (let input = 0; input < INPUTS; input++) {
    const text = mutator.either(mutator.pick(SEEDS_OF_INPUT));
    const isUnterminated = mutator.chance(0.1);
    const told = () => `seed ${SEED}, input ${input}: ${JSON.stringify(text)}`;
    const outcome = watch.run(told, () => parseEventText(text, { ...OPTIONS, isUnterminated }));
    watch.checkOutcome(outcome, told);
  }
  // Were nearly all inputs refused for one reason, the fuzz would reach nothing behind it.
  watch.end(['decision', 'pool', 'coverage', 'not_json', 'torn_line', 'missing_field', 'time_unit', 'wrong_type']);
});
