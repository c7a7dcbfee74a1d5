import { expect } from 'vitest';
import type { CliResult } from '../support/run-cli.ts';

/**
 * What a failed command says: one line on stderr that matches, nothing on stdout, no stack trace; 2 when the caller's
 * words are wrong, 1 when the run failed.
 */
export function expectRefusal(result: CliResult, code: 1 | 2, line: RegExp): void {
  expect(result.stderr).toMatch(/^evenshare: [^\n]+\n$/);
  expect(result.stderr).toMatch(line);
  expect(result.stderr).not.toMatch(/ at .*:\d+:\d+/);
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
}
