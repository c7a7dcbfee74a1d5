import { expect, test } from 'vitest';
import { RECORD_REJECT_CODES } from '../../../ingest/event/decision-event.ts';
import { parseEventText } from '../../../ingest/event/parse-event.ts';
import { type Random, seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { OPTIONS } from './wire.ts';

const SEED = 20_260_302;
const INPUTS = 20_000;

const SEEDS_OF_INPUT = [
  '{"schema":"evenshare.decision.v1","request_id":"r1","pool":"llm-a","tenant":"acme","arrived_at":1772446504127,"cost":1}',
  '{"request_id":"r1","tenant":"🦊","arrived_at":"2026-03-02T10:15:04.127+02:00","outcome":"rejected","reason":"quota"}',
  '{"specversion":"1.0","id":"e","source":"s","type":"t","time":"2026-03-02T10:15:04Z","data":{"tenant":"a","x":[{"y":1}]}}',
  '{"schema":"evenshare.pool.v1","pool":"p","at":1772446504127,"slots":8}',
  '{"schema":"evenshare.coverage.v1","gateway":"g","from":1772446504127,"to":1772446564127,"decisions":3}',
];
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\',
  '\\u0000',
  '\\ud83e',
  'null',
  'true',
  '-',
  '1e999',
  '0',
  '9'.repeat(20),
];
const MORE_TOKENS = [
  '\ufeff',
  '\u0000',
  '\r',
  ' ',
  '__proto__',
  '"tenant":',
  '"arrived_at":',
  '"data":',
  '中',
  '\ud83e',
  '.5',
  'T',
  'Z',
];

function pick<T>(random: Random, items: readonly T[], fallback: T): T {
  return items[Math.floor(random.next() * items.length)] ?? fallback;
}

function mutated(random: Random): string {
  let text = pick(random, SEEDS_OF_INPUT, '');
  for (let round = Math.floor(random.next() * 4); round >= 0; round--) {
    const at = Math.floor(random.next() * (text.length + 1));
    const length = Math.floor(random.next() * 12);
    const kind = random.next();
    if (kind < 0.3) text = text.slice(0, at) + text.slice(at + length);
    else if (kind < 0.8)
      text = text.slice(0, at) + pick(random, [...TOKENS, ...MORE_TOKENS], '') + text.slice(at + length);
    else if (kind < 0.95) text = text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at);
    else text = text.slice(0, at);
  }
  return text;
}

test(`${INPUTS} mutated lines each have an outcome and none throws (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const kinds = new Map<string, number>();
  for (let input = 0; input < INPUTS; input++) {
    const text = mutated(random);
    const outcome = parseEventText(text, { ...OPTIONS, isUnterminated: random.next() < 0.1 });
    const kind = outcome.kind === 'rejected' ? outcome.code : outcome.kind;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (outcome.kind === 'rejected') {
      const told = `seed ${SEED}, input ${input}: ${JSON.stringify(text)}`;
      expect(RECORD_REJECT_CODES, told).toContain(outcome.code);
      expect(outcome.detail, told).toMatch(/^\S.{10,300}$/u);
    }
  }
  // Were nearly all inputs refused for one reason, the fuzz would reach nothing behind it.
  for (const kind of [
    'decision',
    'pool',
    'coverage',
    'not_json',
    'torn_line',
    'missing_field',
    'time_unit',
    'wrong_type',
  ]) {
    expect(kinds.get(kind) ?? 0, `${kind} in ${JSON.stringify([...kinds])}`).toBeGreaterThan(3);
  }
});
