/** A failure as ClickHouse tells it over HTTP. */
export interface Exception {
  readonly code: number;
  /** `Code: N. DB::Exception: … (NAME)`. */
  readonly text: string;
}

/** Names of the codes that the HTTP interface itself raises. */
const NAMES: Readonly<Record<number, string>> = {
  36: 'BAD_ARGUMENTS',
  48: 'NOT_IMPLEMENTED',
  62: 'SYNTAX_ERROR',
  159: 'TIMEOUT_EXCEEDED',
  164: 'READONLY',
  194: 'REQUIRED_PASSWORD',
  202: 'TOO_MANY_SIMULTANEOUS_QUERIES',
  216: 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING',
  241: 'MEMORY_LIMIT_EXCEEDED',
  243: 'NOT_ENOUGH_SPACE',
  252: 'TOO_MANY_PARTS',
  372: 'SESSION_NOT_FOUND',
  373: 'SESSION_IS_LOCKED',
  381: 'HTTP_LENGTH_REQUIRED',
  516: 'AUTHENTICATION_FAILED',
  1000: 'POCO_EXCEPTION',
};

export function exception(code: number, message: string): Exception {
  return { code, text: `Code: ${code}. DB::Exception: ${message}. (${NAMES[code] ?? 'UNKNOWN_EXCEPTION'})` };
}

/** What the engine threw; its own text says the code. */
export function engineException(error: unknown): Exception {
  const text = error instanceof Error ? error.message : String(error);
  const code = /Code: (\d+)\. DB::Exception/.exec(text)?.[1];
  return code === undefined ? exception(1001, text) : { code: Number(code), text };
}

const BY_STATUS: readonly (readonly [number, readonly number[]])[] = [
  [400, [6, 8, 15, 16, 25, 26, 27, 36, 38, 41, 44, 53, 62, 72, 117, 137, 167, 168, 321, 376, 427, 441]],
  [401, [194]],
  [403, [192, 193, 497, 512, 516]],
  [404, [46, 47, 50, 56, 60, 63, 73, 81, 115, 511]],
  [408, [159]],
  [411, [381]],
  [413, [195]],
  [501, [48]],
  [503, [76, 209, 439]],
];

/** The status of an answer that is this exception: 500 but for those that HTTP has a word for. */
export function statusOf(code: number): number {
  return BY_STATUS.find(([, codes]) => codes.includes(code))?.[0] ?? 500;
}
