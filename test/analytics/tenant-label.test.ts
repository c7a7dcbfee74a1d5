import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REST_LABEL, tenantLabel } from '../../analytics/tenant-label.ts';

describe('the label of a tenant', () => {
  it.each(['acme', 'a b', '中文', '🦊', 'a"b', 'a\\b', "it's", 'a #b'])(
    'is the name where it can be read: %s',
    (name) => {
      expect(tenantLabel(name)).toBe(name);
    },
  );

  it.each([
    ['the label of the rest', REST_LABEL, /^__other__ #[0-9a-f]{16}$/],
    ['nothing', '', /^ #[0-9a-f]{16}$/],
    ['controls', 'a\nb\0', /^a\ufffdb\ufffd #[0-9a-f]{16}$/],
    ['marks that turn text around', 'a\u202eb', /^a\ufffdb #[0-9a-f]{16}$/],
    ['half a character', 'a\ud83e', /^a\ufffd #[0-9a-f]{16}$/],
    ['a name without end', '🦊'.repeat(5_000), /^(🦊){120} #[0-9a-f]{16}$/u],
    ['a name that looks marked', 'a #0123456789abcdef', /^a #0123456789abcdef #[0-9a-f]{16}$/],
  ])('is marked where the name is %s', (_what, name, label) => {
    expect(tenantLabel(name)).toMatch(label);
  });

  it('is shared by no two tenants, not even by one that takes another’s label for its name', () => {
    const name = fc.oneof(
      fc.string({ maxLength: 4, unit: fc.constantFrom('a', '\n', '\0', '\u202e', '\ufffd') }),
      fc.constantFrom(REST_LABEL, '', 'x'.repeat(121), 'x'.repeat(122)),
    );
    fc.assert(
      fc.property(name, name, (a, b) => {
        const names = [...new Set([a, b, tenantLabel(a), tenantLabel(tenantLabel(a)), tenantLabel(b)])];
        const labels = names.map(tenantLabel);
        expect(new Set(labels).size).toBe(names.length);
        expect(labels).not.toContain(REST_LABEL);
        expect(labels).not.toContain('');
      }),
    );
  });
});
