import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Submission, SubmissionResult } from '../../../ingest/batch/submission.ts';
import { findAdapter } from '../../../ingest/index.ts';
import { createMessageReader } from '../../../ingest/sources/kafka-record.ts';
import { MessageIntake } from '../../../ingest/sources/message-intake.ts';
import type { MessageSource, SourceLog } from '../../../ingest/sources/message-source.ts';
import { TroubleLog } from '../../../ingest/sources/trouble-log.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';

// The order of effects under every interleaving of stores, commits, failures and divisions of the group. What is real
// beside it runs in kafka-source.test.ts; here the schedule is the subject.

const PARTITIONS = [0, 1];
const MOST_HELD = 12;
const SILENT: SourceLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const STORED: SubmissionResult = { accepted: 0, duplicate: 0, conflict: 0, skewed: 0 };

type Step =
  | { readonly kind: 'deliver'; readonly partition: number; readonly count: number }
  | { readonly kind: 'tick' | 'divide' | 'outage' | 'recovery' | 'regroup_during_commit' | 'wait' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('deliver' as const),
    partition: fc.constantFrom(...PARTITIONS),
    count: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({
    kind: fc.constantFrom('tick', 'divide', 'outage', 'recovery', 'regroup_during_commit', 'wait', 'wait'),
  }),
);

/** A topic without end, a group's offsets, a store and an intake between them, driven by a schedule. */
class World {
  readonly storedIds = new Set<string>();
  readonly committed = new Map(PARTITIONS.map((partition) => [partition, 0]));
  readonly faults: string[] = [];
  readonly intake: MessageIntake;
  isAway = false;
  refusesCommits = false;
  readonly #scheduler: fc.Scheduler;
  readonly #nextOffset = new Map<number, number>();
  readonly #held = new Set<number>();
  #generation = 0;
  readonly #source: MessageSource;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
    this.#source = this.#makeSource();
    const limits = {
      maxBatchMessages: 4,
      maxBatchBytes: 1e6,
      maxDelayMs: 1,
      maxHeldMessages: MOST_HELD,
      maxHeldBytes: 1e6,
    };
    this.intake = new MessageIntake({
      topic: 'decisions',
      read: createMessageReader({
        topic: 't',
        adapter: findAdapter('evenshare'),
        adapterOptions: { defaultPool: 'default', tenant: null, options: {}, mapping: null },
        limits: { maxFutureMs: 1, latenessMs: 1 },
      }),
      writer: {
        submit: (submission) =>
          this.#scheduler.schedule(Promise.resolve(), 'store').then(() => this.#store(submission)),
        pendingEvents: 0,
        drain: async () => undefined,
      },
      metrics: null,
      clock: { nowMs: () => 0, sleep: () => this.#scheduler.schedule(Promise.resolve(), 'sleep') },
      log: SILENT,
      sourceTrouble: new TroubleLog(SILENT, 'reading'),
      limits,
    });
    this.divide();
  }

  /** Every partition is this process's again, from where the group stands. */
  divide(): void {
    this.#generation++;
    this.intake.revoke();
    this.#held.clear();
    for (const [partition, offset] of this.committed) this.#nextOffset.set(partition, offset);
    this.intake.assign(
      this.#source,
      new Map([...this.committed].map(([partition, offset]) => [partition, { offset, isCommitted: true }])),
    );
  }

  /** As the client does: nothing of a partition that is held back. */
  deliver(partition: number, count: number): void {
    if (this.#held.has(partition)) return;
    const from = this.#nextOffset.get(partition) ?? 0;
    const messages = Array.from({ length: count }, (_, index) => ({
      offset: from + index,
      value: Buffer.from(JSON.stringify({ request_id: `${partition}:${from + index}`, tenant: 't', arrived_at: 1e12 })),
      writtenAtMs: null,
    }));
    this.#nextOffset.set(partition, from + count);
    this.intake.take(partition, messages, from + count);
    if (this.intake.heldMessages >= MOST_HELD + count) this.faults.push(`${this.intake.heldMessages} are held`);
  }

  /** Nothing is away any more, and what is under way comes to its end; then no partition has to be held back. */
  async recover(): Promise<void> {
    this.isAway = false;
    this.refusesCommits = false;
    await this.#scheduler.waitIdle();
    this.faults.push(...[...this.#held].map((partition) => `${partition} is held back for ever`));
  }

  async stop(): Promise<void> {
    this.intake.holdAll();
    const drained = this.intake.drain();
    await this.#scheduler.waitFor(drained);
  }

  delivered(partition: number): number {
    return this.#nextOffset.get(partition) ?? 0;
  }

  #store({ decisions, letters }: Submission): SubmissionResult {
    if (this.isAway) throw new EvenshareError('EVS_STORE_UNREACHABLE', 'away', { retryable: true });
    for (const { requestId } of decisions) this.storedIds.add(requestId);
    for (const { source, position } of letters) this.storedIds.add(`${source.slice(-1)}:${position}`);
    return STORED;
  }

  #makeSource(): MessageSource {
    return {
      failed: new Promise(() => undefined),
      pause: (partition) => void this.#held.add(partition),
      resume: (partition) => void this.#held.delete(partition),
      commit: async (offsets) => {
        const generation = this.#generation;
        await this.#scheduler.schedule(Promise.resolve(), 'commit');
        // Brokers refuse members of an earlier division.
        if (this.refusesCommits || generation !== this.#generation) return false;
        for (const [partition, offset] of offsets) this.#commit(partition, offset);
        return true;
      },
      endOffsets: async () => new Map(),
      close: async () => undefined,
    };
  }

  #commit(partition: number, nextOffset: number): void {
    for (let offset = 0; offset < nextOffset; offset++) {
      if (!this.storedIds.has(`${partition}:${offset}`))
        this.faults.push(`${partition}:${offset} is committed, not stored`);
    }
    this.committed.set(partition, nextOffset);
  }
}

it('commits nothing that is not stored, loses nothing, and holds no more than its bounds, whatever comes when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 40 }), async (scheduler, steps) => {
      const world = new World(scheduler);
      for (const one of steps) {
        switch (one.kind) {
          case 'deliver':
            world.deliver(one.partition, one.count);
            break;
          case 'tick':
            world.intake.tick();
            break;
          case 'divide':
            world.divide();
            break;
          case 'outage':
            world.isAway = true;
            break;
          case 'recovery':
            world.isAway = false;
            break;
          case 'regroup_during_commit':
            world.refusesCommits = !world.refusesCommits;
            break;
          case 'wait':
            if (scheduler.count() > 0) await scheduler.waitNext(1);
            break;
        }
      }
      await world.recover();
      await world.stop();
      expect(world.faults).toEqual([]);
      expect(world.intake.heldMessages).toBe(0);
      for (const partition of PARTITIONS) expect(world.committed.get(partition)).toBe(world.delivered(partition));
      world.intake.end();
    }),
    { numRuns: 300 },
  );
});
