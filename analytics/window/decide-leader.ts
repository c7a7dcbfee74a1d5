import type { JobClaim } from '../queries/job-leases.ts';

/** Without a renewal for so long a claim is dead. */
export const LEASE_MS = 15_000;
/** A leader stops calling itself one so long after the renewal that it sent last: sooner than others may see it dead. */
export const LEAD_MS = 12_000;

/** A claim as a process sees it. */
export interface SeenClaim extends JobClaim {
  /** When this process first saw this very renewal, by its own clock, epoch ms. */
  readonly firstSeenMs: number;
}

/**
 * What is seen of the claims now. No two clocks are compared: a claim lives as long as this process sees it renewed, and
 * one that it meets for the first time counts as new.
 */
export function observeClaims(
  before: readonly SeenClaim[],
  claims: readonly JobClaim[],
  receivedMs: number,
): readonly SeenClaim[] {
  const known = new Map(before.map((claim) => [claim.holder, claim]));
  return claims.map((claim) => {
    const last = known.get(claim.holder);
    const isSame = last !== undefined && last.renewal === claim.renewal && last.term === claim.term;
    // A clock that was set back would keep a dead one alive.
    return { ...claim, firstSeenMs: isSame ? Math.min(last.firstSeenMs, receivedMs) : receivedMs };
  });
}

/**
 * Who leads: the holder of the first term among the claims that live at `askedMs`, when the reading that they come from was
 * sent; ties by holder. Null when none lives.
 */
export function decideLeader(claims: readonly SeenClaim[], askedMs: number): string | null {
  const living = claims.filter(({ firstSeenMs }) => askedMs - firstSeenMs < LEASE_MS);
  const [first] = living.toSorted((a, b) => a.term - b.term || (a.holder < b.holder ? -1 : 1));
  return first?.holder ?? null;
}
