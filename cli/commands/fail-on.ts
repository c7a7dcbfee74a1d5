import type { Window } from '../../analytics/index.ts';
import { EvenshareError, parseDurationMs } from '../../scheduler-core/kernel/index.ts';

/** Whether a window breaks a rule; figures that are unknown break none. */
export interface FailRule {
  readonly text: string;
  readonly breaks: (window: Window) => boolean;
}

/**
 * Parses `--fail-on`: comma-separated `unfair`, `unknown`, `jain<0.9`, `min-share<0.8`, `in-share-p99>500ms`.
 *
 * @throws EVS_USAGE naming the rules that exist.
 */
export function parseFailOn(text: string): FailRule[] {
  return text.split(',').map((part) => parseRule(part.trim()));
}

function parseRule(text: string): FailRule {
  if (text === 'unfair' || text === 'unknown') return { text, breaks: (window) => window.verdict === text };
  const match = /^(jain|min-share|in-share-p99)\s*([<>])\s*(\S+)$/.exec(text);
  const bound =
    match === null
      ? Number.NaN
      : match[1] === 'in-share-p99'
        ? (parseDurationMs(match[3] ?? '') ?? Number.NaN)
        : Number(match[3]);
  const sign = match?.[2];
  if (match === null || !Number.isFinite(bound) || sign !== (match[1] === 'in-share-p99' ? '>' : '<')) {
    throw new EvenshareError(
      'EVS_USAGE',
      `--fail-on "${text}" is no rule: use unfair, unknown, jain<NUMBER, min-share<NUMBER, in-share-p99>DURATION, separated by commas`,
    );
  }
  const figure = (window: Window): number | null => {
    if (match[1] === 'jain') return window.jain_index;
    return match[1] === 'min-share' ? (window.min_normalized_share?.value ?? null) : window.in_share.p99_wait_ms;
  };
  return {
    text,
    breaks: (window) => {
      const value = figure(window);
      return value !== null && (sign === '<' ? value < bound : value > bound);
    },
  };
}

/** Throws `EVS_FAIL_ON` (exit code 1) naming the first window that breaks a rule. */
export function failOn(rules: readonly FailRule[], windows: readonly Window[]): void {
  for (const rule of rules) {
    const broken = windows.filter((window) => rule.breaks(window));
    const first = broken[0];
    if (first === undefined) continue;
    throw new EvenshareError(
      'EVS_FAIL_ON',
      `--fail-on ${rule.text}: ${broken.length} of ${windows.length} windows break it, the first at ${first.start}`,
    );
  }
}
