import type { FastifyInstance, FastifyRequest } from 'fastify';
import { assertInvariant } from '../../scheduler-core/kernel/index.ts';
import { BodyBudget, type BodyShare, reserveBody } from './body-budget.ts';
import { unpackBody } from './http-body.ts';
import { answerEvents, type EventsOptions, JSON_TYPES, LINE_TYPES } from './http-events.ts';
import { HttpInputError } from './http-input-error.ts';
import {
  answerTraceError,
  answerTraces,
  DEFAULT_TRACE_FORMATS,
  openSpanReaders,
  type TraceFormats,
} from './http-traces.ts';

export interface HttpIntakeOptions extends EventsOptions {
  readonly maxBodyBytes: number;
  /** Of all bodies that are held at a time, as they came and unpacked. Default 256 MiB. */
  readonly maxHeldBytes?: number;
  /** What is read of traces. Default: GenAI and vLLM spans without a mapping. */
  readonly traces?: TraceFormats;
}

export const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024;
const DEFAULT_MAX_HELD_BYTES = 256 * 1024 * 1024;
/** Of a compressed body, unpacked. */
const MAX_UNPACKED_RATIO = 4;

/**
 * `POST /v1/events`: NDJSON, a JSON array or object, CloudEvents (structured, batched); gzip, zstd. Answers 202 once
 * every accepted event and every dead letter is stored. The same body sent again changes nothing.
 *
 * `POST /v1/traces`: OTLP/HTTP in its JSON encoding, as an OpenTelemetry Collector sends it; answers 200 once the same
 * holds of its spans.
 *
 * @throws EVS_USAGE naming every mistake in a mapping of `traces`.
 */
export function routeHttpIntake(app: FastifyInstance, options: HttpIntakeOptions): void {
  const budget = new BodyBudget(options.maxHeldBytes ?? DEFAULT_MAX_HELD_BYTES);
  const readers = openSpanReaders(options.traces ?? DEFAULT_TRACE_FORMATS);
  app.register(async (intake) => {
    const bodyOf = readBodies(intake, budget, options);
    takeBuffers(intake, [...LINE_TYPES, ...JSON_TYPES]);
    intake.post(
      '/v1/events',
      { bodyLimit: options.maxBodyBytes, schema: { summary: 'Events of a gateway', hide: false } },
      async (request, reply) => {
        const answer = await answerEvents(options, request, await bodyOf(request));
        reply.code(202);
        return answer;
      },
    );
  });
  app.register(async (intake) => {
    intake.setErrorHandler(answerTraceError);
    const bodyOf = readBodies(intake, budget, options);
    takeBuffers(intake, ['application/json']);
    intake.addContentTypeParser('application/x-protobuf', (_request, _payload, done) =>
      done(new HttpInputError(415, 'traces are read as JSON only: set "encoding: json" in the otlphttp exporter')),
    );
    intake.post(
      '/v1/traces',
      { bodyLimit: options.maxBodyBytes, schema: { summary: 'Spans of OpenTelemetry (OTLP/HTTP, JSON)', hide: false } },
      async (request) => answerTraces(options, readers, await bodyOf(request)),
    );
  });
}

/** Bodies of these types and no others come as bytes. */
function takeBuffers(intake: FastifyInstance, types: readonly string[]): void {
  intake.removeAllContentTypeParsers();
  for (const type of types) {
    intake.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  }
}

/** Bounds what the requests of an instance hold; the result gives a request's body, unpacked. */
function readBodies(intake: FastifyInstance, budget: BodyBudget, options: HttpIntakeOptions) {
  const shares = new WeakMap<FastifyRequest, BodyShare>();
  intake.addHook('onRequest', (request, reply, done) => {
    shares.set(request, reserveBody(budget, options.maxBodyBytes, request, reply));
    done();
  });
  return (request: FastifyRequest): Buffer | Promise<Buffer> => {
    const share = shares.get(request);
    assertInvariant(share !== undefined, 'a request came past its hook');
    const maxBytes = options.maxBodyBytes * MAX_UNPACKED_RATIO;
    return unpackBody(request.body, request.headers['content-encoding'], {
      maxBytes,
      share,
      yieldTurn: options.yieldTurn,
    });
  };
}
