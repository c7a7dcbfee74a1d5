import { EvenshareError } from '../../scheduler-core/kernel/index.ts';

/** ClickHouse error codes by what a caller can do about them. Matched by code, never by class or message. */
const OUT_OF_SPACE = new Set(['243', '75', 'ENOSPC']);
const WRONG_CREDENTIALS = new Set(['164', '192', '193', '194', '497', '516']);
const SCHEMA_DIFFERS = new Set(['60', '81', '16', '47', '8']);
const NETWORK = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH'];
/** Too much at once: memory, parts, statements, quotas, time. */
const OVERLOAD = ['159', '201', '202', '203', '241', '252', '290', '439', '700', '745', '749', '762', '776'];
/** A server that is coming up, going down, or has lost its keeper, its replicas or its disk for a while. */
const AILING = ['198', '209', '210', '225', '236', '242', '244', '279', '285', '286', '319', '394', '425', '499', '571']
  .concat(['659', '677', '735', '999'])
  .concat(['3', '95', '96']);
/** Its own faults, of which it does not say what they are about: logical errors and those of libraries. */
const UNKNOWN_FAULT = ['49', '1000', '1001', '1002'];
/** A statement of the session before is under way still, as after a connection that was cut. */
const BUSY_SESSION = ['216', '372', '373'];
const PASSING = new Set([...NETWORK, ...OVERLOAD, ...AILING, ...UNKNOWN_FAULT, ...BUSY_SESSION]);
/** What is wrong is in the rows: a value that does not parse or fit, or one against a constraint. */
const ABOUT_ROWS = new Set(
  [
    '6',
    '25',
    '26',
    '27',
    '33',
    '38',
    '41',
    '53',
    '69',
    '70',
    '72',
    '117',
    '128',
    '131',
    '321',
    '349',
    '376',
    '467',
  ].concat(['469', '632', '691']),
);

/**
 * A failure of the store in words that a person can act on, with the engine's own code in it and the original as its
 * `cause`. Nothing of the statement, its data or the store's address is repeated.
 *
 * Of a server, what carries no code of ClickHouse is none of its answers: a connection that was cut or timed out, or the
 * page of a proxy. That passes.
 */
export function mapStoreError(error: unknown, kind: 'embedded' | 'server' = 'embedded'): EvenshareError {
  if (error instanceof EvenshareError) return error;
  const code = codeOf(error);
  const shown = describeCode(code, kind);
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
  if (isPassing(code, kind)) {
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

/**
 * Whether the store took offence at what is in the rows, so that fewer of them may go through: not when it cannot be
 * reached, has no room, lacks a table, or does not say what is wrong.
 */
export function isAboutRows(error: unknown): boolean {
  if (!(error instanceof EvenshareError) || error.code !== 'EVS_STORE_FAILED') return false;
  const code = codeOf(error.cause);
  return code !== null && ABOUT_ROWS.has(code);
}

/**
 * Which row of an insert the store names in a refusal, counted from 0; null when it names none. A hint of where to look:
 * a value that is quoted beside it may look like one.
 */
export function rowInRefusal(error: unknown): number | null {
  if (!(error instanceof EvenshareError) || !(error.cause instanceof Error)) return null;
  const row = /\bat row (\d+)/.exec(error.cause.message)?.[1];
  return row === undefined ? null : Number(row) - 1;
}

function isPassing(code: string | null, kind: 'embedded' | 'server'): boolean {
  if (code !== null && PASSING.has(code)) return true;
  return kind === 'server' && !isNumber(code);
}

function isNumber(code: string | null): boolean {
  return code !== null && /^\d+$/.test(code);
}

function codeOf(error: unknown): string | null {
  for (let current: unknown = error; typeof current === 'object' && current !== null; ) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = 'cause' in current ? current.cause : null;
  }
  return null;
}

/** Not the name that the client gives beside it: it finds that in the message, where a value may stand that looks like one. */
function describeCode(code: string | null, kind: 'embedded' | 'server'): string {
  if (code === null) return kind === 'server' ? 'no answer of ClickHouse' : 'unknown error';
  return isNumber(code) ? `ClickHouse error ${code}` : code;
}
