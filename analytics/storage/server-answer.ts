import { assertInvariant } from '../../scheduler-core/kernel/index.ts';

/** What is kept of an answer to a statement without rows: enough for an exception, whose block has at most 16 KiB. */
const KEPT_BYTES = 32 * 1024;

/** A failure of the server; the code as `mapStoreError` reads it. */
interface ServerFailure extends Error {
  readonly code?: string;
}

/**
 * Reads an answer to its end and returns the last of it. An answer that is not read would hold its connection, and one
 * that is torn would pass for whole.
 */
export async function readAnswer(stream: AsyncIterable<unknown>): Promise<string> {
  let kept = Buffer.alloc(0);
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' || chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0);
    kept = Buffer.concat([kept, bytes]).subarray(-KEPT_BYTES);
  }
  return kept.toString('utf8');
}

/** Reads an answer of bytes to its end and returns all of it. */
export async function readWholeAnswer(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) {
    assertInvariant(chunk instanceof Uint8Array, 'an answer of bytes comes as bytes');
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks);
}

/**
 * Throws what a server says in an answer that began as a success: the exception that it wrote behind what it had sent
 * (marked by the tag in the header from 25.11 on, bare before), or that it is not ClickHouse that answered.
 */
export function checkAnswer(answer: string, headers: Readonly<Record<string, unknown>>): void {
  if (headers['x-clickhouse-query-id'] === undefined && headers['x-clickhouse-summary'] === undefined) {
    throw new Error('the answer has none of the headers of ClickHouse');
  }
  const tag = headers['x-clickhouse-exception-tag'];
  const marked = typeof tag === 'string' ? answer.indexOf(`__exception__\r\n${tag}\r\n`) : 0;
  const code = marked < 0 ? undefined : /Code: (\d+)\. DB::Exception: /.exec(answer.slice(marked))?.[1];
  if (code === undefined) return;
  const failure: ServerFailure = Object.assign(new Error(answer.slice(marked)), { code });
  throw failure;
}
