/**
 * Every error code of Evenshare, in one list. A code is stable: users match on it, and the documentation names it.
 *
 * - `EVS_USAGE`, `EVS_CONFIG`, `EVS_POLICY`: the caller's words are wrong; nothing was done (exit code 2).
 * - `EVS_INPUT_*`: a file or body could not be read as what it was said to be.
 * - `EVS_STORE_*`: the store refused, is missing, is held by another process, or is full.
 * - `EVS_KAFKA_*`: no broker answers, the topic is missing or not as it must be, the brokers refuse who we are.
 */
export const ERROR_CODES = [
  'EVS_USAGE',
  'EVS_CONFIG',
  'EVS_POLICY',
  'EVS_INPUT_MISSING',
  'EVS_INPUT_DIRECTORY',
  'EVS_INPUT_EMPTY',
  'EVS_INPUT_BINARY',
  'EVS_INPUT_FORMAT',
  'EVS_INPUT_UNREADABLE',
  'EVS_STORE_ABSENT',
  'EVS_STORE_LOCKED',
  'EVS_STORE_FULL',
  'EVS_STORE_UNREACHABLE',
  'EVS_STORE_SCHEMA',
  'EVS_STORE_FAILED',
  'EVS_KAFKA_UNREACHABLE',
  'EVS_KAFKA_TOPIC',
  'EVS_KAFKA_AUTH',
  'EVS_PORT_IN_USE',
  'EVS_HTTP',
  'EVS_BUSY',
  'EVS_RANGE_EXPIRED',
  'EVS_REPORT_EMPTY',
  'EVS_REPORT_UNWRITABLE',
  'EVS_ALERT_DELIVERY',
  'EVS_FAIL_ON',
  'EVS_INTERRUPTED',
  'EVS_INVARIANT',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface EvenshareErrorOptions {
  /** Whether the same call may succeed later without a change by the user. Default false. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/**
 * A failure that a person reads: `message` says in one line what is wrong, where, and how to mend it.
 * It never holds a secret, a payload or the address of a store.
 */
export class EvenshareError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: EvenshareErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EvenshareError';
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}
