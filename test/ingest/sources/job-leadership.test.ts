import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../cli/clock.ts';
import { type JobLeadership, startLeadership } from '../../../ingest/sources/job-leadership.ts';
import type { LeadershipOptions } from '../../../ingest/sources/leader-membership.ts';
import { bundleProgram } from '../../support/child-program.ts';
import { startKafka } from '../../support/kafka.ts';
import { until } from '../../support/until.ts';
import { startAskedProgram } from './asked-program.ts';
import { collectingLog, send, withAdmin } from './kafka-run.ts';

const SESSION_MS = 6_000;

/** What kafkajs sends to brokers. */
const broker: {
  prototype: {
    heartbeat: (group: unknown) => unknown;
    fetch: (what: unknown) => unknown;
    offsetCommit: (what: unknown) => unknown;
  };
} = createRequire(import.meta.url)('kafkajs/src/broker/index.js');

afterEach(() => {
  vi.restoreAllMocks();
});

function options(bootstrap: string, topic: string, more: Partial<LeadershipOptions> = {}): LeadershipOptions {
  return {
    connection: { brokers: [bootstrap] },
    topic,
    groupId: `${topic}-jobs`,
    clock: systemClock,
    log: collectingLog().log,
    sessionTimeoutMs: SESSION_MS,
    ...more,
  };
}

/** Starts members one after another, and stops them whatever becomes of `work`. */
async function withMembers<Result>(
  all: readonly LeadershipOptions[],
  work: (...members: JobLeadership[]) => Promise<Result>,
): Promise<Result> {
  const members: JobLeadership[] = [];
  try {
    for (const one of all) members.push(await startLeadership(one));
    return await work(...members);
  } finally {
    await Promise.all(members.map((member) => member.stop()));
  }
}

const leaders = (members: readonly JobLeadership[]): number[] =>
  members.flatMap((member, index) => (member.isLeader() ? [index] : []));

describe('leadership by membership in a Kafka group', () => {
  it('has one leader, who stays while others come, and is followed as soon as it stops', async (context) => {
    const kafka = await startKafka(context);
    const topic = 'led';
    await kafka.createTopic(topic, 3);
    await withMembers([options(kafka.bootstrap, topic)], async (first) => {
      await until('the first one leads', () => (first.isLeader() ? true : null));
      await withMembers([options(kafka.bootstrap, topic), options(kafka.bootstrap, topic)], async (...others) => {
        await until('the group has three members', async () => {
          // A machine that is busy may keep the first one from leading, but nobody else leads.
          expect(leaders(others)).toEqual([]);
          const { groups } = await withAdmin(kafka, (admin) => admin.describeGroups([`${topic}-jobs`]));
          return groups[0]?.state === 'Stable' && groups[0].members.length === 3 ? true : null;
        });
        await until('the first one leads', () => (first.isLeader() ? true : null));
        expect(leaders(others)).toEqual([]);
        await first.stop();
        expect(first.isLeader()).toBe(false);
        await until('another one leads', () => (leaders(others).length > 0 ? true : null));
        expect(leaders(others)).toHaveLength(1);
      });
    });
  });

  it('reads no message and commits no offset', async (context) => {
    const kafka = await startKafka(context);
    const topic = 'led-unread';
    await kafka.createTopic(topic, 2);
    await send(kafka, topic, [
      { partition: 0, value: 'a' },
      { partition: 1, value: 'b' },
    ]);
    const heartbeat = vi.spyOn(broker.prototype, 'heartbeat');
    const fetched = vi.spyOn(broker.prototype, 'fetch');
    const committed = vi.spyOn(broker.prototype, 'offsetCommit');
    await withMembers([options(kafka.bootstrap, topic)], async (member) => {
      // The loop in which messages would be fetched has turned.
      await until('it has sent a few heartbeats', () => (heartbeat.mock.calls.length >= 4 ? true : null));
      await until('it leads', () => (member.isLeader() ? true : null));
    });
    expect(fetched).not.toHaveBeenCalled();
    expect(committed).not.toHaveBeenCalled();
    const after = await withAdmin(kafka, (admin) => admin.fetchOffsets({ groupId: `${topic}-jobs`, topics: [topic] }));
    expect(after[0]?.partitions.map(({ offset }) => offset)).toEqual(['-1', '-1']);
  });

  it('is given up by the clock of a leader that was frozen, before another one can lead', async (context) => {
    const kafka = await startKafka(context);
    const topic = 'led-frozen';
    await kafka.createTopic(topic, 1);
    const script = await bundleProgram(join(import.meta.dirname, 'leader-program.ts'));
    const frozen = startAskedProgram(script, [kafka.bootstrap, topic, `${topic}-jobs`, '3000']);
    try {
      expect(await frozen.nextLine()).toBe('joined');
      await until('it leads', async () => ((await frozen.ask()) === 'leads' ? true : null));
      await withMembers([options(kafka.bootstrap, topic, { sessionTimeoutMs: 3_000 })], async (other) => {
        expect(other.isLeader()).toBe(false);
        process.kill(frozen.pid, 'SIGSTOP');
        await until('the other one leads', () => (other.isLeader() ? true : null));
        // Its first answer, to a question that was there when it woke up.
        const answer = frozen.ask();
        process.kill(frozen.pid, 'SIGCONT');
        // On a machine so busy that the other one lost its session meanwhile it may lead anew, but never beside it.
        if ((await answer) === 'leads') {
          await until('the other one stands by', () => (other.isLeader() ? null : true));
        }
      });
    } finally {
      await frozen.kill();
    }
  });

  it('says at the start when the topic is not there', async (context) => {
    const kafka = await startKafka(context);
    await expect(startLeadership(options(kafka.bootstrap, 'not-there'))).rejects.toMatchObject({
      code: 'EVS_KAFKA_TOPIC',
    });
  });
});

describe('while no broker answers', () => {
  it('nobody leads, it is said once, and the process is not ready before long', async () => {
    const { log, lines } = collectingLog();
    const member = await startLeadership(options('127.0.0.1:1', 'away', { log }));
    try {
      expect(member.isLeader()).toBe(false);
      expect(member.notReady(systemClock.nowMs())).toEqual([]);
      expect(member.notReady(systemClock.nowMs() + 60_000).join()).toMatch(
        /^not in Kafka group "away-jobs", whose members choose a leader, for \d+ s: no Kafka broker answers/,
      );
      expect(lines.filter((line) => line.includes('fails and is tried again'))).toHaveLength(1);
    } finally {
      await member.stop();
    }
  });
});
