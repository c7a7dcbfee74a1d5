import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { SubmissionBuilder } from '../batch/submission.ts';
import type { DeadLetter } from '../dead-letters.ts';
import { type RecordOutcome, reject } from '../event/decision-event.ts';
import { parseDecision, parseEventText } from '../event/parse-event.ts';
import type { EventSink } from '../event-sink.ts';
import type { IngestMetrics } from '../ingest-metrics.ts';
import { checkTime, type TimeLimits } from './check-time.ts';
import { HttpInputError } from './http-input-error.ts';
import { jsonElements } from './json-elements.ts';
import type { EventLine } from './kafka-producer.ts';
import { LineFramer } from './line-framing.ts';

export interface EventsOptions extends TimeLimits {
  readonly sink: EventSink;
  readonly metrics: IngestMetrics;
  readonly nowMs: () => number;
  /** Gives other work of the process its turn. */
  readonly yieldTurn: () => Promise<void>;
}

export const LINE_TYPES = [
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
];
export const JSON_TYPES = ['application/json', 'application/cloudevents+json', 'application/cloudevents-batch+json'];

const RECORDS_PER_TURN = 2_000;
/** Rejections that an answer lists; all are in the dead letters and counted. */
const MAX_LISTED_REJECTIONS = 1_000;
const PARSE_OPTIONS = { defaultPool: 'default', defaultTenant: null };

/** The body of the answer to `POST /v1/events`. */
export interface EventsAnswer {
  readonly accepted: number;
  readonly duplicate: number | null;
  readonly duplicate_reason?: string;
  readonly conflict: number | null;
  readonly rejected: readonly Rejected[];
  readonly rejected_total: number;
}

interface Rejected {
  readonly line: number;
  readonly code: string;
  readonly detail: string;
}

/**
 * Takes the events of an unpacked body; resolves once they and the dead letters are durable.
 *
 * @throws HttpInputError 400; what the sink throws.
 */
export async function answerEvents(
  options: EventsOptions,
  request: FastifyRequest,
  body: Buffer,
): Promise<EventsAnswer> {
  const taken = new TakenEvents(options, body);
  if (isJson(request.headers['content-type'])) await takeElements(body, taken, options.yieldTurn);
  else await takeLines(body, taken, options.yieldTurn);
  const result = await options.sink.accept(taken.builder, taken.lines);
  // What the topic takes is counted by those who store it.
  const { duplicate, conflict } = result;
  const stored = duplicate === null || conflict === null ? NOTHING_STORED : { ...result, duplicate, conflict };
  options.metrics.countStored(stored, taken.builder.letters);
  return {
    accepted: result.accepted,
    duplicate: result.duplicate,
    ...(result.duplicateReason === null ? {} : { duplicate_reason: result.duplicateReason }),
    conflict: result.conflict,
    rejected: taken.rejected,
    rejected_total: taken.builder.letters.length,
  };
}

const NOTHING_STORED = { accepted: 0, duplicate: 0, conflict: 0, skewed: 0 };

function isJson(contentType: string | undefined): boolean {
  return JSON_TYPES.includes((contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '');
}

/** What the records of one body turned out to be. */
class TakenEvents {
  readonly builder = new SubmissionBuilder();
  readonly lines: EventLine[] = [];
  readonly rejected: Rejected[] = [];
  readonly #options: EventsOptions;
  readonly #body: Buffer;
  readonly #receivedAtMs: number;
  #source: string | null = null;

  constructor(options: EventsOptions, body: Buffer) {
    this.#options = options;
    this.#body = body;
    this.#receivedAtMs = options.nowMs();
  }

  /** @param raw The record's own bytes, asked for only where they are needed. */
  take(outcome: RecordOutcome, line: number, raw: () => Uint8Array): void {
    const receipt = { nowMs: this.#receivedAtMs, heldSinceMs: this.#receivedAtMs };
    const checked = checkTime(outcome, receipt, this.#options);
    const key = this.#options.sink.wantsLines ? keyOf(checked) : null;
    if (key !== null) this.lines.push({ key, value: Buffer.from(raw()) });
    this.builder.add(checked, (code, detail): DeadLetter => {
      if (this.rejected.length < MAX_LISTED_REJECTIONS) this.rejected.push({ line, code, detail });
      const [receivedAtMs, source] = [this.#receivedAtMs, this.#sourceOfLetters()];
      return { receivedAtMs, code, detail, source, position: line, format: 'evenshare', raw: raw() };
    });
  }

  /** The same body sent again has the same dead letters. */
  #sourceOfLetters(): string {
    this.#source ??= `http:${createHash('sha256').update(this.#body).digest('hex').slice(0, 16)}`;
    return this.#source;
  }
}

/** The key under which a record goes to the topic; null for what does not go there. */
function keyOf(outcome: RecordOutcome): string | null {
  switch (outcome.kind) {
    case 'decision':
      return outcome.event.requestId;
    case 'pool':
      return outcome.announcement.pool;
    case 'coverage':
      return outcome.report.gateway;
    case 'rejected':
    case 'skip':
      return null;
  }
}

async function takeElements(body: Buffer, taken: TakenEvents, yieldTurn: () => Promise<void>): Promise<void> {
  const events = parseJsonBody(body);
  let texts: readonly Uint8Array[] | null = null;
  for (const [index, value] of events.entries()) {
    taken.take(parseDecision(value, PARSE_OPTIONS), index + 1, () => {
      texts ??= jsonElements(body);
      return texts[index] ?? body;
    });
    if ((index + 1) % RECORDS_PER_TURN === 0) await yieldTurn();
  }
}

async function takeLines(body: Buffer, taken: TakenEvents, yieldTurn: () => Promise<void>): Promise<void> {
  const framer = new LineFramer({ isVerbatim: false });
  const takeBatch = (batch: ReturnType<LineFramer['end']>): void => {
    for (const framed of batch) {
      if (framed.kind === 'refused') {
        taken.take(reject(framed.code, framed.detail), framed.line, () => framed.raw);
        continue;
      }
      const { text, line, isUnterminated } = framed.record;
      // A body ends where its length says: a last line without a newline is whole.
      const outcome = parseEventText(text, { ...PARSE_OPTIONS, isUnterminated: isUnterminated ?? false });
      taken.take(outcome, line, () => Buffer.from(text));
    }
  };
  let isFirst = true;
  for (const batch of framer.push(body)) {
    // A body of one piece, as most are, is not worth a turn.
    if (!isFirst) await yieldTurn();
    isFirst = false;
    takeBatch(batch);
  }
  takeBatch(framer.end());
}

function parseJsonBody(body: Buffer): unknown[] {
  if (!isUtf8(body)) throw new HttpInputError(400, 'the body is not UTF-8: JSON is sent in nothing else');
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return Array.isArray(value) ? value : [value];
  } catch (cause) {
    throw new HttpInputError(
      400,
      'the body is not JSON: send a JSON array or object, or NDJSON as application/x-ndjson',
      { cause },
    );
  }
}
