import type { Admin, Batch, Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { KafkaConnection } from './kafka-client.ts';
import { isRegrouping, mapKafkaError, topicMadeAgain } from './kafka-errors.ts';
import { readCommitted, readEnds, readOffsets } from './kafka-offsets.ts';
import { decideReturn, decideStart, type PartitionOffsets, START_WARNINGS } from './kafka-positions.ts';
import type { MessageSink, MessageSource, SourceLog, SourceMessage, StartPosition } from './message-source.ts';

export interface KafkaMessagesOptions {
  readonly connection: KafkaConnection;
  readonly topic: string;
  readonly groupId: string;
  /** Where a group that has committed nothing begins: at the oldest message, or at what comes next. */
  readonly fromBeginning: boolean;
  /** Or at the first message written then or later, epoch ms. Absent or null: by `fromBeginning`. */
  readonly startAtMs?: number | null;
  /** How long the group waits for a member that is silent before it gives its partitions to others. */
  readonly sessionTimeoutMs: number;
  /** Gives other work of the process its turn. */
  readonly yieldTurn: () => Promise<void>;
  readonly log: SourceLog;
}

/** Messages handed on before other work of the process gets its turn. */
const MESSAGES_PER_TURN = 1_000;
/** So often in a row a partition may come from elsewhere than asked for, before the broker is believed. */
const MAX_STRAYS = 3;

interface Position {
  /** The offset that the next batch has to be asked from. */
  nextOffset: number;
  /** Batches in a row that were asked from elsewhere. */
  strays: number;
  /** Whether the brokers have an offset of the group. */
  isCommitted: boolean;
}

/**
 * One life of a kafkajs consumer. kafkajs keeps a position per partition, but a batch that was fetched before the group
 * divided its partitions again may still be handed over afterwards, and then moves the new position over messages that
 * nobody has seen (two fetchers, one of which rejoins). So where each partition begins is read and set here, and a batch
 * is taken only if it was asked for from exactly where the last one ended.
 */
export class KafkaMessages implements MessageSource {
  readonly failed: Promise<never>;
  readonly #options: KafkaMessagesOptions;
  readonly #sink: MessageSink;
  readonly #admin: Admin;
  readonly #consumer: Consumer;
  /** Of the assignment that holds now; empty until it is known where to begin. */
  readonly #positions = new Map<number, Position>();
  /** Partitions in which the group has committed something since this began. */
  readonly #everCommitted = new Set<number>();
  /** Partitions that the sink holds back. */
  readonly #held = new Set<number>();
  /** Counts assignments. What began under an earlier one ends without effect. */
  #generation = 0;
  /** Counts commits that brokers have answered. */
  #commits = 0;
  #closing: Promise<void> | null = null;
  #running: Promise<void> | null = null;
  #fail: (error: EvenshareError) => void = () => undefined;

  constructor(options: KafkaMessagesOptions, sink: MessageSink, admin: Admin, consumer: Consumer) {
    this.#options = options;
    this.#sink = sink;
    this.#admin = admin;
    this.#consumer = consumer;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Whoever awaits it learns of it.
    this.failed.catch(() => undefined);
  }

  async join(): Promise<void> {
    const { topic, fromBeginning } = this.#options;
    const { events } = this.#consumer;
    this.#consumer.on(events.CRASH, ({ payload }) => this.#fail(mapKafkaError(payload.error, topic)));
    this.#consumer.on(events.GROUP_JOIN, ({ payload }) => this.#joined(payload.memberAssignment[topic] ?? []));
    this.#consumer.on(events.START_BATCH_PROCESS, ({ payload }) => this.#passOver(payload));
    this.#consumer.on(events.COMMIT_OFFSETS, () => {
      this.#commits++;
    });
    this.#consumer.on(events.FETCH, () => this.#sink.turned());
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [topic], fromBeginning });
    this.#running = this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 1,
      eachBatch: (payload) => this.#takeBatch(payload),
    });
    await Promise.race([this.#running, this.failed]);
  }

  pause(partition: number): void {
    this.#held.add(partition);
    this.#hold([partition]);
  }

  resume(partition: number): void {
    this.#held.delete(partition);
    // One whose beginning is not known yet goes on when it is.
    if (this.#positions.has(partition)) this.#release([partition]);
  }

  async commit(nextOffsets: ReadonlyMap<number, number>): Promise<boolean> {
    const { topic } = this.#options;
    const before = this.#commits;
    try {
      if (await this.#wasMadeAgain(nextOffsets.keys())) {
        this.#fail(topicMadeAgain(topic));
        return false;
      }
      await this.#consumer.commitOffsets(
        [...nextOffsets].map(([partition, offset]) => ({ topic, partition, offset: String(offset) })),
      );
      // While it stops or has crashed, kafkajs says nothing and commits nothing.
      if (this.#commits === before) return false;
      for (const partition of nextOffsets.keys()) this.#noteCommitted(partition);
      return true;
    } catch (error) {
      if (isRegrouping(error)) return false;
      throw mapKafkaError(error, topic);
    }
  }

  async endOffsets(): Promise<ReadonlyMap<number, number>> {
    try {
      return await readEnds(this.#admin, this.#options.topic);
    } catch (error) {
      throw mapKafkaError(error, this.#options.topic);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#generation++;
    this.#positions.clear();
    // A consumer that is stopped while it joins would begin to read afterwards.
    await Promise.race([this.#running, this.failed.catch(() => undefined)]);
    await this.#quietly(this.#consumer.disconnect());
    await this.#quietly(this.#admin.disconnect());
  }

  async #quietly(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#options.log.debug({ cause: mapKafkaError(error, this.#options.topic).message }, 'Kafka was left untidily'),
    );
  }

  /** Called by kafkajs between joining and the first fetch, so that nothing is fetched before the beginning is set. */
  #joined(partitions: readonly number[]): void {
    if (this.#closing !== null) return;
    this.#generation++;
    this.#positions.clear();
    this.#held.clear();
    this.#sink.revoke();
    this.#hold(partitions);
    this.#begin(partitions, this.#generation).catch((error: unknown) =>
      this.#fail(mapKafkaError(error, this.#options.topic)),
    );
  }

  async #begin(partitions: readonly number[], generation: number): Promise<void> {
    const { topic, groupId, startAtMs = null } = this.#options;
    const offsets = await readOffsets(this.#admin, { topic, groupId, startAtMs });
    if (generation !== this.#generation) return;
    const starts = new Map<number, StartPosition>();
    for (const partition of partitions) {
      const known = offsets.get(partition);
      if (known === undefined) continue;
      const offset = this.#seek(partition, known, 0);
      starts.set(partition, { offset, isCommitted: offset === known.committed });
    }
    this.#sink.assign(this, starts);
    for (const partition of starts.keys()) this.#sink.sawEnd(partition, offsets.get(partition)?.end ?? 0);
    this.#release([...starts.keys()].filter((partition) => !this.#held.has(partition)));
  }

  #seek(partition: number, offsets: PartitionOffsets, strays: number): number {
    const { topic, fromBeginning, log } = this.#options;
    // Forgotten since: a topic that was made again, of which nothing is read yet.
    const { offset, reason } = decideStart(offsets, fromBeginning || this.#everCommitted.has(partition));
    const warning = START_WARNINGS[reason];
    if (warning !== null) log.warn({ topic, partition, committed: offsets.committed, offset }, warning);
    this.#positions.set(partition, { nextOffset: offset, strays, isCommitted: offsets.committed !== null });
    this.#consumer.seek({ topic, partition, offset: String(offset) });
    return offset;
  }

  async #takeBatch({ batch, resolveOffset, heartbeat, isRunning, isStale }: EachBatchPayload): Promise<void> {
    const { partition, messages } = batch;
    const generation = this.#generation;
    const position = this.#positions.get(partition);
    const goesOn = (): boolean => generation === this.#generation && isRunning() && !isStale();
    if (position === undefined || !goesOn()) return;
    const fetchedOffset = fetchedOffsetOf(batch);
    if (fetchedOffset !== position.nextOffset) {
      this.#astray(partition, position, fetchedOffset);
      return;
    }
    position.strays = 0;
    this.#sink.sawEnd(partition, Number(batch.highWatermark));
    for (let from = 0; from < messages.length; from += MESSAGES_PER_TURN) {
      if (from > 0) {
        await this.#options.yieldTurn();
        await heartbeat();
        if (!goesOn()) return;
      }
      const slice = messages.slice(from, from + MESSAGES_PER_TURN);
      const last = slice.at(-1);
      if (last === undefined) return;
      const isEnd = from + slice.length === messages.length;
      position.nextOffset = Number(isEnd ? batch.lastOffset() : last.offset) + 1;
      // Where the next fetch begins; not a commit. Of the last message kafkajs takes the batch's end, as above.
      resolveOffset(last.offset);
      this.#sink.take(partition, slice.map(toSourceMessage), position.nextOffset);
    }
  }

  /** Records of transactions, and messages of those that were aborted: kafkajs steps over them by itself. */
  #passOver(batch: BatchBounds): void {
    const position = this.#positions.get(batch.partition);
    if (batch.batchSize > 0 || position === undefined) return;
    if (Number(batch.firstOffset ?? batch.lastOffset) !== position.nextOffset) return;
    position.nextOffset = Number(batch.lastOffset) + 1;
    this.#sink.sawEnd(batch.partition, Number(batch.highWatermark));
    this.#sink.take(batch.partition, [], position.nextOffset);
  }

  /** The batch does not follow on what was taken: back to where it ended, unless nothing is left there. */
  #astray(partition: number, position: Position, fetchedOffset: number): void {
    const { topic, groupId, startAtMs = null, log } = this.#options;
    const generation = this.#generation;
    const strays = position.strays + 1;
    log.warn({ topic, partition, expected: position.nextOffset, fetchedOffset }, 'messages out of turn: going back');
    this.#positions.delete(partition);
    this.#hold([partition]);
    const goBack = async (): Promise<void> => {
      const offsets = (await readOffsets(this.#admin, { topic, groupId, startAtMs })).get(partition);
      if (offsets === undefined || generation !== this.#generation) return;
      // What a fetch from exactly there steps over, time and again, cannot be read by anybody.
      const isBelieved = strays >= MAX_STRAYS && fetchedOffset > position.nextOffset;
      const committed = isBelieved ? fetchedOffset : decideReturn({ ...position, fetchedOffset }, offsets);
      this.#seek(partition, { ...offsets, committed }, strays);
      if (!this.#held.has(partition)) this.#release([partition]);
    };
    goBack().catch((error: unknown) => this.#fail(mapKafkaError(error, topic)));
  }

  /**
   * Brokers forget what groups have committed in a topic that is deleted. Of another one of the same name this may be the
   * only sign, when it has grown beyond the position before anybody looked; a commit into it would wipe that out.
   */
  async #wasMadeAgain(partitions: Iterable<number>): Promise<boolean> {
    const { topic, groupId } = this.#options;
    const known = [...partitions].filter((partition) => this.#positions.get(partition)?.isCommitted === true);
    if (known.length === 0) return false;
    const committed = await readCommitted(this.#admin, topic, groupId);
    return known.some((partition) => (committed.get(partition) ?? null) === null);
  }

  #noteCommitted(partition: number): void {
    const position = this.#positions.get(partition);
    if (position !== undefined) position.isCommitted = true;
    this.#everCommitted.add(partition);
  }

  /** kafkajs knows no partitions once it has stopped. */
  #hold(partitions: readonly number[]): void {
    if (this.#closing === null) this.#consumer.pause([{ topic: this.#options.topic, partitions: [...partitions] }]);
  }

  #release(partitions: readonly number[]): void {
    if (this.#closing === null) this.#consumer.resume([{ topic: this.#options.topic, partitions: [...partitions] }]);
  }
}

interface BatchBounds {
  readonly partition: number;
  readonly batchSize: number;
  readonly firstOffset: string | null;
  readonly lastOffset: string;
  readonly highWatermark: string;
}

/** kafkajs's types leave it out: the offset that the fetch asked for. Its first message may lie beyond, after compaction. */
function fetchedOffsetOf(batch: Batch): number {
  return 'fetchedOffset' in batch ? Number(batch.fetchedOffset) : Number.NaN;
}

function toSourceMessage({ offset, value, timestamp }: KafkaMessage): SourceMessage {
  const writtenAtMs = Number(timestamp);
  return { offset: Number(offset), value, writtenAtMs: writtenAtMs > 0 ? writtenAtMs : null };
}
