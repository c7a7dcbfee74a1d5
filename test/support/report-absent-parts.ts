import type { TestProject } from 'vitest/node';

/**
 * Vitest's global setup. After the last test it prints one plain line that names every test that did not run and why,
 * so that a green run without Chromium, Java or the traces cannot be taken for a full one. The reasons are the notes of
 * `ctx.skip(reason)`, which `requirePart` gives.
 */
export default function reportAbsentParts(project: TestProject): () => void {
  return () => {
    // `-t PATTERN` leaves tests out by the caller's own wish.
    const isFiltered = project.config.testNamePattern !== undefined;
    const testsByReason = new Map<string, string[]>();
    for (const module of project.vitest.state.getTestModules()) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const note = result.state === 'skipped' ? result.note : undefined;
        if (note === undefined && isFiltered) continue;
        const reason = note ?? 'skipped without a reason';
        const names = testsByReason.get(reason) ?? [];
        names.push(`${module.relativeModuleId}: ${test.fullName}`);
        testsByReason.set(reason, names);
      }
    }
    if (testsByReason.size > 0) process.stderr.write(`${describeAbsentParts(testsByReason)}\n`);
  };
}

/** The line: reasons in order, each with its tests in order. */
export function describeAbsentParts(testsByReason: ReadonlyMap<string, readonly string[]>): string {
  const reasons = [...testsByReason].sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = reasons.map(([reason, tests]) => `${tests.length} because ${reason} (${[...tests].sort().join('; ')})`);
  return `Did not run: ${parts.join(', and ')}.`;
}
