import { basename, join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportFileStem } from '../../reports/index.ts';
import { anyName, HOSTILE_NAMES } from './hostile-names.ts';

const stem = (tenant: string, given: { pool?: string; timeZone?: string } = {}): string =>
  reportFileStem({ tenant, month: '2026-11', timeZone: given.timeZone ?? 'UTC', pool: given.pool ?? null });

describe('the name of a report’s file', () => {
  it.each([
    ['acme', /^evenshare-2026-11-acme-[0-9a-f]{12}$/, 'an ordinary name is in it'],
    [
      'Müller & Söhne',
      /^evenshare-2026-11-mu-ller-so-hne-[0-9a-f]{12}$|^evenshare-2026-11-muller-sohne-[0-9a-f]{12}$/,
      'as letters',
    ],
    ['..', /^evenshare-2026-11-[0-9a-f]{12}$/, 'nothing of it is left'],
    ['a/b', /^evenshare-2026-11-a-b-[0-9a-f]{12}$/, 'no separator'],
    ['=cmd|x', /^evenshare-2026-11-cmd-x-[0-9a-f]{12}$/, 'no formula'],
    ['中文', /^evenshare-2026-11-[0-9a-f]{12}$/, 'other scripts stand in the hash'],
    ['🦊', /^evenshare-2026-11-[0-9a-f]{12}$/, 'so do pictures'],
    ['x'.repeat(500), /^evenshare-2026-11-x{40}-[0-9a-f]{12}$/, 'a long one is cut'],
  ])('of %j matches %s: %s', (tenant, pattern) => {
    expect(stem(tenant)).toMatch(pattern);
  });

  it('stays in its folder and is harmless to shells and file systems, whatever the tenant is called', () => {
    fc.assert(
      fc.property(anyName(), (tenant) => {
        const name = `${stem(tenant)}.html`;
        expect(name).toMatch(/^evenshare-[a-z0-9-]+\.html$/);
        expect(name.length).toBeLessThan(100);
        expect(resolve(join('/reports', name))).toBe(`/reports/${basename(name)}`);
      }),
      { numRuns: 300, seed: 6, examples: HOSTILE_NAMES.map((name): [string] => [name]) },
    );
  });

  it('is another for another tenant, zone or pool, also where case is ignored', () => {
    const names = [
      ...['Acme', 'acme', 'ACME ', 'a-c', 'a.c', 'a/c', '中文', '中', '🦊', '..', '.'].map((tenant) => stem(tenant)),
      stem('acme', { pool: 'p' }),
      stem('acme', { timeZone: 'Europe/Berlin' }),
    ];
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    expect(stem('acme')).toBe(stem('acme'));
  });
});
