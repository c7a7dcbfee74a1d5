import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { createMissingTopics, type TopicPlan } from '../../../ingest/sources/kafka-topics.ts';
import { DAY_MS } from '../../../scheduler-core/kernel/index.ts';
import { startKafka } from '../../support/kafka.ts';
import { collectingLog, eventually, withAdmin } from './kafka-run.ts';

const plan = (name: string, given: Partial<TopicPlan> = {}): TopicPlan => ({
  name,
  partitions: 3,
  replication: null,
  retentionMs: 7 * DAY_MS,
  ...given,
});
const options = (isDryRun = false) => ({ isDryRun, log: collectingLog().log });

describe('topics', () => {
  it('are created as planned, once; again, they exist and are left as they are', async (context) => {
    const connection = { brokers: [(await startKafka(context)).bootstrap] };
    const plans = [plan('made'), plan('made-letters', { partitions: 1, replication: 1, retentionMs: 30 * DAY_MS })];
    const planned = await createMissingTopics(connection, plans, options(true));
    expect(planned.map(({ outcome, is }) => [outcome, is])).toEqual([
      ['planned', null],
      ['planned', null],
    ]);
    const created = await createMissingTopics(connection, plans, options());
    expect(created.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
    const existing = [
      { name: 'made', outcome: 'exists', is: { partitions: 3, replication: 1, retentionMs: 7 * DAY_MS }, differs: [] },
      {
        name: 'made-letters',
        outcome: 'exists',
        is: { partitions: 1, replication: 1, retentionMs: 30 * DAY_MS },
        differs: [],
      },
    ];
    // A broker may tell of what it has just made a little later.
    await eventually(async () => expect(await createMissingTopics(connection, plans, options())).toEqual(existing));
  });

  it('that differ say in what, and do not change', async (context) => {
    const connection = { brokers: [(await startKafka(context)).bootstrap] };
    await createMissingTopics(connection, [plan('differs')], options());
    const other = plan('differs', { partitions: 6, replication: 3, retentionMs: DAY_MS });
    const is = { partitions: 3, replication: 1, retentionMs: 7 * DAY_MS };
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await createMissingTopics(connection, [other], options())).toEqual([
        { name: 'differs', outcome: 'exists', is, differs: ['partitions', 'replication', 'retentionMs'] },
      ]);
    }
  });

  it('asked for by two at once are created by one of them', async (context) => {
    const connection = { brokers: [(await startKafka(context)).bootstrap] };
    const both = await Promise.all([1, 2].map(() => createMissingTopics(connection, [plan('race')], options())));
    expect(both.flat().map(({ outcome }) => outcome)).toContain('created');
  });

  it('that the brokers refuse are refused in words for whoever asked', async (context) => {
    const kafka = await startKafka(context);
    const connection = { brokers: [kafka.bootstrap] };
    await expect(createMissingTopics(connection, [plan('three', { replication: 3 })], options())).rejects.toMatchObject(
      {
        code: 'EVS_KAFKA_TOPIC',
        message: 'topic "three" was not created: there are fewer brokers than replicas: lower --replication',
      },
    );
    const user = { brokers: [kafka.saslBootstrap ?? ''], sasl: { mechanism: 'plain' as const, ...kafka.user } };
    // Rights to create that somebody else has.
    const others = {
      resourceType: AclResourceTypes.TOPIC,
      resourceName: 'guarded',
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: 'User:somebody',
      host: '*',
      operation: AclOperationTypes.ALL,
      permissionType: AclPermissionTypes.ALLOW,
    };
    await withAdmin(kafka, (admin) =>
      admin.createAcls({
        acl: [others, { ...others, resourceType: AclResourceTypes.CLUSTER, resourceName: 'kafka-cluster' }],
      }),
    );
    await expect(createMissingTopics(user, [plan('guarded')], options())).rejects.toMatchObject({
      code: 'EVS_KAFKA_AUTH',
      message: expect.stringContaining('topic "guarded"'),
    });
  });
});
