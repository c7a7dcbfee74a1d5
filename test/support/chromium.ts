import { existsSync } from 'node:fs';
import type { TestContext } from 'vitest';
import { requirePart } from './require-part.ts';

const KNOWN_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Arguments that keep a test browser offline and free of background work. */
export const CHROMIUM_ARGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of a Chromium to start, or the test is skipped (fails under `CI=true`). */
export function requireChromium(context: Pick<TestContext, 'skip'>): string {
  return requirePart(context, {
    name: 'Chromium',
    find: findChromium,
    remedy: 'install chromium or set CHROMIUM_PATH',
  });
}

function findChromium(): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== '') return existsSync(named) ? named : null;
  return KNOWN_PATHS.find((path) => existsSync(path)) ?? null;
}
