import type { TestContext } from 'vitest';

/** Something that a test needs and a machine may lack: a browser, a JDK, the shared traces. */
export interface TestPart {
  /** As people call it: `Chromium`. */
  readonly name: string;
  /** Where it is on this machine, or null. */
  readonly find: () => string | null;
  /** How to have it, in a few words: `install chromium or set CHROMIUM_PATH`. */
  readonly remedy: string;
}

/**
 * The path of the part. Where it is absent the test does not run and the end of the run says so; under `CI=true`, where
 * nothing may be left out, the test fails instead.
 */
export function requirePart(context: Pick<TestContext, 'skip'>, part: TestPart): string {
  const path = part.find();
  if (path !== null) return path;
  const reason = `${part.name} is not on this machine: ${part.remedy}`;
  if (process.env.CI === 'true') throw new Error(`${reason} (under CI=true an absent part is a failure)`);
  return context.skip(reason);
}
