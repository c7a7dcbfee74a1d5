import { expect, test } from 'vitest';
import { describeAbsentParts } from './report-absent-parts.ts';
import { requirePart } from './require-part.ts';

test('the line names every test that did not run under its reason, in order', () => {
  const line = describeAbsentParts(
    new Map([
      ['Java is not on this machine: install a JDK', ['b.test.ts: z']],
      ['Chromium is not on this machine: install chromium', ['a.test.ts: y', 'a.test.ts: x']],
    ]),
  );
  expect(line).toBe(
    'Did not run: 2 because Chromium is not on this machine: install chromium (a.test.ts: x; a.test.ts: y), ' +
      'and 1 because Java is not on this machine: install a JDK (b.test.ts: z).',
  );
});

test('a part that is there is given by its path, one that is absent skips the test with the remedy', () => {
  const skipped: (string | undefined)[] = [];
  const skip = (note?: string | boolean) => {
    skipped.push(String(note));
    throw new Error('skipped');
  };
  const context = { skip } as unknown as Parameters<typeof requirePart>[0]; // seam: only `skip(note)` is called
  expect(requirePart(context, { name: 'Java', find: () => '/opt/java', remedy: 'install a JDK' })).toBe('/opt/java');
  const absent = { name: 'Java', find: () => null, remedy: 'install a JDK' };
  expect(() => requirePart(context, absent)).toThrow(process.env.CI === 'true' ? 'is a failure' : 'skipped');
  if (process.env.CI !== 'true') expect(skipped).toEqual(['Java is not on this machine: install a JDK']);
});
