import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { type AdapterOptions, type AdapterOutcome, eachOutcome, type RawRecord } from '../adapters/adapter.ts';
import { otelGenaiAdapter } from '../adapters/otel-genai.ts';
import { vllmAdapter } from '../adapters/vllm.ts';
import { SubmissionBuilder } from '../batch/submission.ts';
import type { DeadLetter } from '../dead-letters.ts';
import { checkTime } from './check-time.ts';
import type { EventsOptions } from './http-events.ts';
import { HttpInputError } from './http-input-error.ts';
import { exportTexts, SPAN_FORMATS, type SpanFormat, sortSpans } from './trace-export.ts';

/** What is read of traces, by format; a format that is not named is ignored. */
export type TraceFormats = Partial<Readonly<Record<SpanFormat, AdapterOptions>>>;

type SpanReader = (record: RawRecord) => AdapterOutcome;
export type SpanReaders = ReadonlyMap<SpanFormat, SpanReader>;

const NO_MAPPING: AdapterOptions = { defaultPool: 'default', tenant: null, options: {}, mapping: null };
export const DEFAULT_TRACE_FORMATS: TraceFormats = { 'otel-genai': NO_MAPPING, vllm: NO_MAPPING };

/** @throws EVS_USAGE naming every mistake in a mapping. */
export function openSpanReaders(formats: TraceFormats): SpanReaders {
  const readers = new Map<SpanFormat, SpanReader>();
  for (const { format, adapter } of ADAPTERS) {
    const options = formats[format];
    if (options !== undefined) readers.set(format, adapter.open(options));
  }
  return readers;
}

const ADAPTERS = [
  { format: 'otel-genai', adapter: otelGenaiAdapter },
  { format: 'vllm', adapter: vllmAdapter },
] as const;

/** `ExportTraceServiceResponse`, JSON encoding. */
export interface TracesAnswer {
  readonly partialSuccess?: { readonly rejectedSpans: string; readonly errorMessage: string };
}

/** Spans that an adapter reads before other work of the process gets its turn. */
const SPANS_PER_TURN = 500;

/**
 * Takes the spans of an export; resolves once what became of them is durable in the store, also where events go to
 * Kafka: the topic holds events in their senders' own words, and a span is none.
 *
 * @throws HttpInputError 400; what the sink throws.
 */
export async function answerTraces(options: EventsOptions, readers: SpanReaders, body: Buffer): Promise<TracesAnswer> {
  const sorted = sortSpans(parseExport(body));
  if (sorted === null) throw new HttpInputError(400, 'the body is no OTLP export of traces in the JSON encoding');
  const nowMs = options.nowMs();
  const builder = new SubmissionBuilder();
  const source = `http:${createHash('sha256').update(body).digest('hex').slice(0, 16)}`;
  let { ignored } = sorted;
  let position = 0;
  for (const format of SPAN_FORMATS) {
    const read = readers.get(format);
    if (read === undefined) {
      ignored += sorted.ours[format].reduce((sum, { spans }) => sum + spans.length, 0);
      continue;
    }
    for (const text of exportTexts(sorted.ours[format], SPANS_PER_TURN)) {
      for (const outcome of eachOutcome(read({ text, fields: null, line: 1 }))) {
        position++;
        if (outcome.kind === 'skip') ignored++;
        const checked = checkTime(outcome, { nowMs, heldSinceMs: nowMs }, options);
        const raw = outcome.kind === 'rejected' && outcome.raw !== undefined ? outcome.raw : text;
        const at = position;
        builder.add(
          checked,
          (code, detail): DeadLetter => ({
            receivedAtMs: nowMs,
            code,
            detail,
            source,
            position: at,
            format,
            raw: Buffer.from(raw),
          }),
        );
      }
      await options.yieldTurn();
    }
  }
  if (builder.size > 0) options.metrics.countStored(await options.sink.store(builder), builder.letters);
  const { decisions, letters } = builder;
  options.metrics.countSpans({ taken: decisions.length, ignored, rejected: letters.length });
  return letters.length === 0 ? {} : { partialSuccess: describe(letters) };
}

function parseExport(body: Buffer): unknown {
  try {
    if (isUtf8(body)) return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new HttpInputError(400, 'the body is not JSON: set "encoding: json" in the exporter', { cause });
  }
  throw new HttpInputError(400, 'the body is not UTF-8: JSON is sent in nothing else');
}

function describe(letters: readonly DeadLetter[]): NonNullable<TracesAnswer['partialSuccess']> {
  const first = letters[0];
  const why = first === undefined ? '' : `, the first one because ${first.code}: ${first.detail}`;
  return {
    rejectedSpans: String(letters.length),
    errorMessage: `${letters.length} spans are kept as dead letters${why}`,
  };
}

const RETRY_AFTER_S = 5;
/** google.rpc.Code: what a status of HTTP is called there. */
const RPC_CODES: ReadonlyMap<number, number> = new Map([
  [400, 3],
  [413, 8],
  [415, 3],
  [429, 8],
  [503, 14],
]);

/**
 * Answers a failure as OTLP asks: a `Status` in JSON. Its clients throw away what is answered with 500 and repeat what is
 * answered with 503, so whatever is not the sender's fault is 503.
 */
export function answerTraceError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const status = statusOf(error);
  if (status === 503) request.log.error({ err: error }, 'traces were not stored');
  if (status === 429 || status === 503) reply.header('retry-after', String(RETRY_AFTER_S));
  const isTold = error instanceof Error && (status < 500 || error instanceof EvenshareError);
  const message = isTold ? error.message : `the server failed; its log has the cause under request ${request.id}`;
  reply
    .code(status)
    .type('application/json')
    .send(JSON.stringify({ code: RPC_CODES.get(status) ?? 2, message }));
}

function statusOf(error: unknown): number {
  if (error instanceof EvenshareError && error.code === 'EVS_BUSY') return 429;
  const given = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof given === 'number' && given >= 400 && given < 500 ? given : 503;
}
