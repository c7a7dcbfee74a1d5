import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../scheduler-core/policy/index.ts';
import { BARE, mistakesOf } from './policy-expectations.ts';

describe('hostile names', () => {
  const names = ['__proto__', 'constructor', 'toString', '=cmd', 'a\nb', '\u202eevil', '"; drop', '', '\ud800', '𝕏'];

  it.each(names.filter((name) => name !== ''))('%j is a tenant like any other', (name) => {
    const { tenants } = parsePolicy(JSON.stringify({ weights: null }).replace('null', `{${JSON.stringify(name)}:3}`));
    expect([...tenants]).toEqual([[name, { ...BARE.defaultTenant, weight: 3 }]]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    expect(parsePolicy({ tenants: [{ name, weight: 3 }] }).tenants.get(name)?.weight).toBe(3);
  });

  it.each(names)('%j is shown in quotes on one line', (name) => {
    const [mistake] = mistakesOf(new Map([['weights', new Map([[name, 0]])]]));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be shown
    expect(mistake).not.toMatch(/[\0-\x1f\x7f\u2028-\u202e]/);
  });

  it('that are very long are shown in part', () => {
    const long = 'x'.repeat(1_000_000);
    const text = `tenants: [{ name: ${long} }, { name: ${long}, class: ${long} }]\nclasses: { a: {} }\n${long}: 1`;
    const mistakes = mistakesOf(text);
    expect(mistakes.length).toBe(3);
    for (const mistake of mistakes) expect(mistake.length).toBeLessThan(400);
  });

  it.each([
    [1n, 'a bigint'],
    [Symbol('x'), 'a symbol'],
    [() => 1, 'a function'],
    [new Date(0), 'a mapping'],
    [undefined, 'nothing'],
  ])('what no file holds is refused too: %s', (value, shown) => {
    expect(mistakesOf({ weights: { a: value ?? null } })).toEqual([`weights.a: must be a number > 0, not ${shown}`]);
  });

  it('a policy that holds itself does no harm', () => {
    const circle: { weights?: unknown } = {};
    circle.weights = circle;
    expect(mistakesOf(circle)).toEqual(['weights.weights: must be a number > 0, not a mapping']);
  });
});
