import { EvenshareError, type Random, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import type { KafkaConnection } from '../sources/kafka-client.ts';

/** Where events go: to Evenshare over HTTP, or to the topic that it reads. */
export type EmitterTarget =
  | {
      /** Of Evenshare: `https://evenshare.example:8080`, with a path where a proxy puts one before `/v1/events`. */
      readonly url: string;
      /** Sent as a bearer token; scope `ingest` is enough. */
      readonly token?: string;
      readonly kafka?: never;
    }
  | {
      /** The brokers; `topic` defaults to `evenshare.decisions`. */
      readonly kafka: KafkaConnection & { readonly topic?: string };
      readonly url?: never;
    };

export interface EmitterTuning {
  /** Events in one request. Default 500. */
  readonly maxBatchEvents?: number;
  /** Bytes in one request, before compression. Default 512 KiB. */
  readonly maxBatchBytes?: number;
  /** How long an event may wait for others, ms. Default 1 s. */
  readonly maxDelayMs?: number;
  /** Events held, those being sent included; further ones are dropped and counted. Default 20,000. */
  readonly maxBufferedEvents?: number;
  /** The same in bytes. Default 16 MiB. */
  readonly maxBufferedBytes?: number;
  /** How long one attempt over HTTP may take, ms. Default 30 s. */
  readonly attemptTimeoutMs?: number;
  /** Told of each kind of trouble, at most once a minute, and once when it is over; what it throws is ignored. */
  readonly onTrouble?: (trouble: EmitterTrouble) => void;
  /** Time, chance and turns, for tests. Default: the machine's. */
  readonly parts?: EmitterParts;
}

export type EmitterOptions = EmitterTarget & EmitterTuning;

export interface EmitterTrouble {
  /**
   * `failing`: an attempt failed and is made again. `refused`: events were given up, since the other side will never
   * take them. `rejected`: the other side keeps some as dead letters. `dropping`: the buffer is full. `recovered`: events are delivered again.
   */
  readonly kind: 'failing' | 'refused' | 'rejected' | 'dropping' | 'recovered';
  /** For a log; holds no event, address or token. */
  readonly message: string;
}

export interface EmitterParts {
  readonly nowMs: () => number;
  /** Resolves after so long, or as soon as the signal aborts. Must not keep the process alive. */
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  /** Resolves in a later turn of the event loop. */
  readonly nextTurn: () => Promise<void>;
  /** Keeps the process alive until the result is called. */
  readonly holdOpen: () => () => void;
  /** For the jitter of retries. */
  readonly random: Pick<Random, 'next'>;
}

export interface EmitterLimits {
  readonly maxBatchEvents: number;
  readonly maxBatchBytes: number;
  readonly maxDelayMs: number;
  readonly maxBufferedEvents: number;
  readonly maxBufferedBytes: number;
  readonly attemptTimeoutMs: number;
}

const DEFAULTS: EmitterLimits = {
  maxBatchEvents: 500,
  maxBatchBytes: 512 * 1024,
  maxDelayMs: SECOND_MS,
  maxBufferedEvents: 20_000,
  maxBufferedBytes: 16 * 1024 * 1024,
  attemptTimeoutMs: 30 * SECOND_MS,
};

/** Fills in the defaults. @throws EVS_USAGE naming the option that is no whole number from 1 on. */
export function limitsOf(options: EmitterTuning): EmitterLimits {
  const given = (name: keyof EmitterLimits): number => {
    const value = options[name] ?? DEFAULTS[name];
    if (Number.isSafeInteger(value) && value >= 1) return value;
    throw new EvenshareError('EVS_USAGE', `createEmitter: ${name} must be a whole number from 1 on`);
  };
  return {
    maxBatchEvents: given('maxBatchEvents'),
    maxBatchBytes: given('maxBatchBytes'),
    maxDelayMs: given('maxDelayMs'),
    maxBufferedEvents: given('maxBufferedEvents'),
    maxBufferedBytes: given('maxBufferedBytes'),
    attemptTimeoutMs: given('attemptTimeoutMs'),
  };
}

/** The address to post to. @throws EVS_USAGE when the text is no http(s) URL, or holds a user or a query. */
export function eventsUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new EvenshareError('EVS_USAGE', 'createEmitter: url must begin with http:// or https://');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new EvenshareError(
      'EVS_USAGE',
      'createEmitter: url takes no user, query or fragment; a token goes into token',
    );
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1\/events$/, '');
  return `${url.origin}${path}/v1/events`;
}
