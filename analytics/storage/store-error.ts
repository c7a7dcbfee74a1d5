import { EvenshareError } from '../../scheduler-core/kernel/index.ts';

/** ClickHouse error codes by what a caller can do about them. Matched by code, never by class or message. */
const OUT_OF_SPACE = new Set(['243', '75', 'ENOSPC']);
const WRONG_CREDENTIALS = new Set(['192', '193', '194', '516', '497']);
const SCHEMA_DIFFERS = new Set(['60', '81', '16', '47', '8']);
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH']);
const OVERLOAD = new Set(['159', '202', '209', '210', '241', '242', '252', '319', '999']);

/**
 * A failure of the store in words that a person can act on, with the engine's own code in it and the original as its
 * `cause`. Nothing of the statement, its data or the store's address is repeated.
 */
export function mapStoreError(error: unknown): EvenshareError {
  if (error instanceof EvenshareError) return error;
  const code = codeOf(error);
  const shown = describeCode(code);
  if (code !== null && OUT_OF_SPACE.has(code)) {
    return new EvenshareError(
      'EVS_STORE_FULL',
      `the store has no room left (${shown}): free space on its disk or shorten retention; nothing that was acknowledged is lost`,
      { cause: error, retryable: true },
    );
  }
  if (code !== null && WRONG_CREDENTIALS.has(code)) {
    return new EvenshareError(
      'EVS_STORE_UNREACHABLE',
      `the store refuses the credentials (${shown}): check store.username, store.password and the user's grants`,
      { cause: error },
    );
  }
  if (code !== null && (NETWORK.has(code) || OVERLOAD.has(code))) {
    return new EvenshareError(
      'EVS_STORE_UNREACHABLE',
      `the store cannot be reached or is overloaded (${shown}): check store.url and that ClickHouse is up`,
      { cause: error, retryable: true },
    );
  }
  if (code !== null && SCHEMA_DIFFERS.has(code)) {
    return new EvenshareError(
      'EVS_STORE_SCHEMA',
      `the store's tables are missing or of another version (${shown}): run "evenshare migrate"`,
      { cause: error },
    );
  }
  return new EvenshareError('EVS_STORE_FAILED', `the store failed (${shown}): run with --debug to see its own words`, {
    cause: error,
  });
}

function codeOf(error: unknown): string | null {
  for (let current: unknown = error; typeof current === 'object' && current !== null; ) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = 'cause' in current ? current.cause : null;
  }
  return null;
}

/** Not the name that the client gives beside it: it finds that in the message, where a value may stand that looks like one. */
function describeCode(code: string | null): string {
  if (code === null) return 'unknown error';
  return /^\d+$/.test(code) ? `ClickHouse error ${code}` : code;
}
