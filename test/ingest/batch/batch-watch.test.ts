import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBatchWriter } from '../../../ingest/batch/batch-writer.ts';
import { createIngestMetrics } from '../../../ingest/index.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { insertGate } from '../../support/watched-store.ts';
import { letter, NOW_MS, request, submission } from './submissions.ts';

describe('what the intake tells of its batches', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
  });
  afterAll(() => opened.remove());

  it('sizes and durations of those that were stored, and the codes of those that the store refused', async () => {
    const registry = new Registry();
    const gate = insertGate(opened.store);
    let nowMs = NOW_MS;
    const writer = createBatchWriter(gate.store, {
      nowMs: () => (nowMs += 250),
      maxPendingEvents: 100,
      maxBatchEvents: 20,
      watch: createIngestMetrics(registry),
    });
    await writer.submit(submission({ decisions: [request('r1'), request('r2')], letters: [letter(1)] }));
    gate.failNext('requests', new EvenshareError('EVS_STORE_UNREACHABLE', 'gone', { retryable: true }));
    await expect(writer.submit(submission({ decisions: [request('r3')] }))).rejects.toThrow('gone');
    const text = await registry.metrics();
    expect(text).toContain('evenshare_ingest_batch_events_sum 3\n');
    expect(text).toContain('evenshare_ingest_batch_events_count 1\n');
    expect(text).toContain('evenshare_ingest_flush_seconds_count 1\n');
    expect(text).toContain('evenshare_ingest_insert_errors_total{code="EVS_STORE_UNREACHABLE"} 1\n');
  });

  it('what the messages of a partition became, which adds up to them', async () => {
    const registry = new Registry();
    const metrics = createIngestMetrics(registry);
    metrics.countMessages(3, { messages: 10, events: 7, letters: 2 });
    const text = await registry.metrics();
    expect(text).toContain('evenshare_kafka_messages_total{partition="3",became="event"} 7\n');
    expect(text).toContain('evenshare_kafka_messages_total{partition="3",became="dead_letter"} 2\n');
    expect(text).toContain('evenshare_kafka_messages_total{partition="3",became="other"} 1\n');
  });
});
