import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { SubmissionBuilder } from '../batch/submission.ts';
import type { DeadLetter } from '../dead-letters.ts';
import { type RecordOutcome, reject } from '../event/decision-event.ts';
import { parseDecision, parseEventText } from '../event/parse-event.ts';
import type { EventSink } from '../event-sink.ts';
import type { IngestMetrics } from '../ingest-metrics.ts';
import { checkTime } from './check-time.ts';
import { jsonElements } from './json-elements.ts';
import type { EventLine } from './kafka-producer.ts';
import { LineFramer } from './line-framing.ts';

export interface HttpIntakeOptions {
  readonly sink: EventSink;
  readonly metrics: IngestMetrics;
  readonly nowMs: () => number;
  /** Gives other work of the process its turn. */
  readonly yieldTurn: () => Promise<void>;
  readonly maxBodyBytes: number;
  /** Arrivals further in the future are refused, ms. */
  readonly maxFutureMs: number;
  /** Arrivals further in the past are refused, ms. */
  readonly latenessMs: number;
}

export const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Of a compressed body, unpacked. */
const MAX_UNPACKED_RATIO = 4;
const RECORDS_PER_TURN = 2_000;
/** Rejections that an answer lists; all are in the dead letters and counted. */
const MAX_LISTED_REJECTIONS = 1_000;

interface Rejected {
  readonly line: number;
  readonly code: string;
  readonly detail: string;
}

/**
 * `POST /v1/events`: NDJSON, a JSON array or object, CloudEvents (structured, batched); gzip. Answers 202 once every
 * accepted event and every dead letter is stored. The same body sent again changes nothing.
 */
export function routeHttpIntake(app: FastifyInstance, options: HttpIntakeOptions): void {
  app.register(async (intake) => {
    intake.removeAllContentTypeParsers();
    for (const type of [...LINE_TYPES, ...JSON_TYPES]) {
      intake.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    }
    intake.post(
      '/v1/events',
      { bodyLimit: options.maxBodyBytes, schema: { summary: 'Events of a gateway', hide: false } },
      async (request, reply) => answer(options, request, reply),
    );
  });
}

const LINE_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines'];
const JSON_TYPES = ['application/json', 'application/cloudevents+json', 'application/cloudevents-batch+json'];

async function answer(options: HttpIntakeOptions, request: FastifyRequest, reply: FastifyReply) {
  const body = await unpack(request, options.maxBodyBytes * MAX_UNPACKED_RATIO);
  const builder = new SubmissionBuilder();
  const lines: EventLine[] = [];
  const rejected: Rejected[] = [];
  const receivedAtMs = options.nowMs();
  const receipt = { nowMs: receivedAtMs, heldSinceMs: receivedAtMs };
  const source = `http:${createHash('sha256').update(body).digest('hex').slice(0, 16)}`;
  let rejectedTotal = 0;
  let records = 0;
  const take = (outcome: RecordOutcome, line: number, raw: () => Uint8Array): void => {
    records++;
    const checked = checkTime(outcome, receipt, options);
    const key = options.sink.wantsLines ? keyOf(checked) : null;
    if (key !== null) lines.push({ key, value: Buffer.from(raw()) });
    builder.add(checked, (code, detail): DeadLetter => {
      rejectedTotal++;
      if (rejected.length < MAX_LISTED_REJECTIONS) rejected.push({ line, code, detail });
      return { receivedAtMs, code, detail, source, position: line, format: 'evenshare', raw: raw() };
    });
  };
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (JSON_TYPES.includes(contentType)) {
    const events = parseJsonBody(body);
    let texts: readonly Uint8Array[] | null = null;
    for (const [index, value] of events.entries()) {
      take(parseDecision(value, PARSE_OPTIONS), index + 1, () => {
        texts ??= jsonElements(body);
        return texts[index] ?? body;
      });
      if (records % RECORDS_PER_TURN === 0) await options.yieldTurn();
    }
  } else {
    await takeLines(body, options.yieldTurn, take);
  }
  const result = await options.sink.accept(builder, lines);
  // What the topic takes is counted by those who store it.
  const { duplicate, conflict } = result;
  const stored = duplicate === null || conflict === null ? NOTHING_STORED : { ...result, duplicate, conflict };
  options.metrics.countStored(stored, builder.letters);
  reply.code(202);
  return {
    accepted: result.accepted,
    duplicate: result.duplicate,
    ...(result.duplicateReason === null ? {} : { duplicate_reason: result.duplicateReason }),
    conflict: result.conflict,
    rejected,
    rejected_total: rejectedTotal,
  };
}

const NOTHING_STORED = { accepted: 0, duplicate: 0, conflict: 0, skewed: 0 };

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

const PARSE_OPTIONS = { defaultPool: 'default', defaultTenant: null };

async function takeLines(
  body: Buffer,
  yieldTurn: () => Promise<void>,
  take: (outcome: RecordOutcome, line: number, raw: () => Uint8Array) => void,
): Promise<void> {
  const framer = new LineFramer({ isVerbatim: false });
  const takeBatch = (batch: ReturnType<LineFramer['end']>): void => {
    for (const framed of batch) {
      if (framed.kind === 'refused') {
        take(reject(framed.code, framed.detail), framed.line, () => framed.raw);
        continue;
      }
      const { text, line, isUnterminated } = framed.record;
      // A body ends where its length says: a last line without a newline is whole.
      take(parseEventText(text, { ...PARSE_OPTIONS, isUnterminated: isUnterminated ?? false }), line, () =>
        Buffer.from(text),
      );
    }
  };
  for (const batch of framer.push(body)) {
    takeBatch(batch);
    await yieldTurn();
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
      {
        cause,
      },
    );
  }
}

/** A refusal of a whole request, with its status. */
class HttpInputError extends EvenshareError {
  readonly statusCode: number;

  constructor(statusCode: number, message: string, options: { readonly cause?: unknown } = {}) {
    super('EVS_HTTP', message, options);
    this.statusCode = statusCode;
  }
}

const gunzipAsync = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

async function unpack(request: FastifyRequest, maxBytes: number): Promise<Buffer> {
  const body = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new HttpInputError(400, 'the body is empty: send at least one event');
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip') {
    throw new HttpInputError(415, 'content-encoding must be gzip or identity');
  }
  try {
    return await gunzipAsync(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    const tooLarge = cause instanceof RangeError;
    throw new HttpInputError(
      tooLarge ? 413 : 400,
      tooLarge
        ? `the body unpacks to more than ${maxBytes} bytes: send smaller ones`
        : 'the body is not gzip as it says',
      { cause },
    );
  }
}
