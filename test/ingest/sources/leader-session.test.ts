import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeaderSession } from '../../../ingest/sources/leader-session.ts';

const SESSION_MS = 10_000;

function leading(sentMs: number): LeaderSession {
  const session = new LeaderSession(SESSION_MS);
  session.joined(true, sentMs);
  return session;
}

describe('a member of a group', () => {
  it('does not lead before it has joined, nor without the partition', () => {
    const session = new LeaderSession(SESSION_MS);
    expect(session.isLeading(0)).toBe(false);
    session.renewed(0);
    expect(session.isLeading(0)).toBe(false);
    session.joined(false, 0);
    expect(session.isLeading(0)).toBe(false);
  });

  it('leads while its heartbeats are answered', () => {
    const session = leading(0);
    for (let atMs = 0; atMs < 60_000; atMs += 1_000) {
      expect(session.isLeading(atMs)).toBe(true);
      session.renewed(atMs);
    }
  });

  it('ends with its membership, and is not brought back by an answer that comes afterwards', () => {
    const session = leading(0);
    session.ended();
    session.renewed(1);
    expect(session.isLeading(1)).toBe(false);
  });

  it('leads no longer when another was given the partition', () => {
    const session = leading(0);
    session.joined(false, 100);
    session.renewed(200);
    expect(session.isLeading(200)).toBe(false);
  });

  it('that was frozen wakes up as no leader, also when it finds an answer to a heartbeat sent before', () => {
    const session = leading(0);
    // Sent at 1 s, frozen until 31 s, and only then read.
    const wakesMs = 31_000;
    expect(session.isLeading(wakesMs)).toBe(false);
    session.renewed(1_000);
    expect(session.isLeading(wakesMs)).toBe(false);
  });

  it('whose clock was set back does not lead before its next heartbeat', () => {
    const session = leading(100_000);
    expect(session.isLeading(40_000)).toBe(false);
    session.renewed(40_000);
    expect(session.isLeading(40_001)).toBe(true);
  });

  it('never leads at a moment at which the brokers may have put it out', () => {
    const moments = fc.array(
      fc.record({ waitMs: fc.integer({ min: 0, max: 15_000 }), wayMs: fc.integer({ min: 0, max: 15_000 }) }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(moments, (heartbeats) => {
        let nowMs = 0;
        // When the brokers heard of it last, at the earliest: as it was sent.
        let heardMs = 0;
        const session = leading(0);
        for (const { waitMs, wayMs } of heartbeats) {
          const sentMs = nowMs + waitMs;
          for (const atMs of [nowMs, sentMs, sentMs + wayMs])
            if (atMs - heardMs >= SESSION_MS) expect(session.isLeading(atMs), `at ${atMs}`).toBe(false);
          nowMs = sentMs + wayMs;
          heardMs = sentMs;
          session.renewed(sentMs);
          if (nowMs - heardMs >= SESSION_MS) expect(session.isLeading(nowMs), `at ${nowMs}`).toBe(false);
        }
      }),
    );
  });
});
