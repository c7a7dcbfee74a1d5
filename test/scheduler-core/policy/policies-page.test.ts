import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../scheduler-core/policy/index.ts';
import { tableOf } from './policy-tables.ts';

const page = readFileSync(new URL('../../../docs/policies.md', import.meta.url), 'utf8');
/** Tables without the blanks and dashes that align their columns. */
const unaligned = (text: string): string => text.replace(/ *\| */g, '|').replace(/-{3,}/g, '---');
const examples = Array.from(page.matchAll(/```yaml\n(.*?)```/gs), ([, text]) => text ?? '');

describe('the page about policies', () => {
  it.each(['fair_queue', 'fuller'] as const)('has every key of the %s form as the parser knows it', (form) => {
    const table = tableOf(form);
    expect(unaligned(page).includes(unaligned(table)), `docs/policies.md must hold this table:\n${table}\n`).toBe(true);
  });

  it('has examples that are policies', () => {
    expect(examples.length).toBe(3);
    for (const example of examples) expect(() => parsePolicy(example)).not.toThrow();
  });
});
