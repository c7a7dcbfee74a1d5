import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Answer } from './answer.ts';
import { refuseCredentials } from './credentials.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { exception } from './exception.ts';
import { type HttpForm, isException, MAX_URI_BYTES, readForm, readMultipart } from './http-form.ts';
import { hasSeveral, insertedLines, isInsert, isRead } from './statement-text.ts';
import { type Misdeed, Switches } from './switches.ts';

export interface ClickHouseHttpOptions {
  /** The data folder; nobody else may hold it. */
  readonly path: string;
  /** 0, the default: a free one. */
  readonly port?: number;
  /** Passwords by name; default `default` without one. */
  readonly users?: Readonly<Record<string, string>>;
}

export interface ClickHouseHttp {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly switches: Switches;
  close(): Promise<void>;
}

/**
 * ClickHouse's HTTP interface in front of the embedded engine, as its documentation describes it ("HTTP interface",
 * clickhouse.com/docs/interfaces/http): not what the client happens to send, so that it tells what a server would refuse.
 */
export async function startClickHouseHttp(options: ClickHouseHttpOptions): Promise<ClickHouseHttp> {
  const engine = new EmbeddedEngine(options.path);
  await engine.start();
  const switches = new Switches();
  const parts = { engine, switches, users: options.users ?? { default: '' } };
  const server = createServer({ maxHeaderSize: 2 * MAX_URI_BYTES, keepAliveTimeout: 10_000 }, (request, response) => {
    handle(parts, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  const port = await listen(server, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${port}`,
    switches,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      engine.close();
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', listening);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a listener without a port');
  return address.port;
}

interface Parts {
  readonly engine: EmbeddedEngine;
  readonly switches: Switches;
  readonly users: Readonly<Record<string, string>>;
}

async function handle(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const startedMs = performance.now();
  const url = new URL(request.url ?? '/', 'http://server');
  if (['/ping', '/replicas_status'].includes(url.pathname) || (request.method === 'GET' && url.search === '')) {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=UTF-8' }).end('Ok.\n');
    return;
  }
  if ((request.url ?? '').length > MAX_URI_BYTES) {
    response.writeHead(400, { Connection: 'close' }).end();
    return;
  }
  const fields: (readonly [string, string])[] = [...url.searchParams];
  const queryId = url.searchParams.get('query_id') ?? randomUUID();
  const version = parts.engine.version;
  const mayCompress = url.searchParams.get('enable_http_compression') === '1';
  const answerOf = (format: string): Answer =>
    new Answer(request, response, { queryId, version, format, mayCompress, startedMs });
  try {
    const body = await readBody(request);
    const refused = refuseCredentials(request, fields, parts.users);
    if (refused !== null) throw refused;
    const contentType = request.headers['content-type'] ?? '';
    const isForm = contentType.startsWith('multipart/form-data');
    if (isForm) fields.push(...readMultipart(body, contentType));
    const form = readForm(fields, (name) => request.headers[name]?.toString() ?? null);
    const text = isForm ? '' : body.toString('utf8');
    // Part in the URL, part in the body: a line feed is put between them.
    const sql = form.query !== '' && text !== '' ? `${form.query}\n${text}` : form.query + text;
    await execute(parts, { sql, form, request, response, answer: answerOf(formatOf(sql, form)) });
  } catch (error) {
    if (!isException(error)) throw error;
    await answerOf('TabSeparated').fail(error);
  }
}

interface Execution {
  readonly sql: string;
  readonly form: HttpForm;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: Answer;
}

async function execute(parts: Parts, { sql, form, request, response, answer }: Execution): Promise<void> {
  const { engine } = parts;
  const misdeed = parts.switches.next(sql, isInsert(sql));
  if (misdeed !== null && (await misbehave(misdeed, response))) return;
  if (request.method === 'GET' && !isRead(sql)) throw exception(164, 'Cannot execute query in readonly mode');
  if (hasSeveral(sql)) throw exception(62, 'Syntax error (Multi-statements are not allowed)');
  const isBuffered = form.waitsForEnd || !isRead(sql) || misdeed !== null;
  if (!isBuffered) {
    try {
      await engine.stream(sql, form, (chunk) => answer.write(chunk));
      await answer.write(new Uint8Array());
      await answer.end();
    } catch (error) {
      if (!isException(error)) throw error;
      await answer.fail(error);
    }
    return;
  }
  const { body, readRows, readBytes } = await engine.run(sql, form);
  if (misdeed?.kind === 'cut' && misdeed.when === 'after') {
    response.socket?.destroy();
    return;
  }
  const writtenRows = isInsert(sql) ? (insertedLines(sql) ?? readRows) : 0;
  const figures = { readRows, readBytes, writtenRows, resultBytes: body.byteLength };
  const isWhole = misdeed?.kind !== 'cut' && misdeed?.kind !== 'exception_after_header';
  await answer.write(isWhole ? body : body.subarray(0, Math.ceil(body.byteLength / 2)), figures);
  if (isWhole) await answer.end();
  else if (misdeed.kind === 'cut') answer.cut();
  else await answer.fail(exception(misdeed.code, 'It went wrong amid the answer'));
}

/** True when that was all of the answer. */
async function misbehave(misdeed: Misdeed, response: ServerResponse): Promise<boolean> {
  switch (misdeed.kind) {
    case 'exception':
      throw exception(misdeed.code, 'It was told to refuse this');
    case 'slow':
      await new Promise((passed) => setTimeout(passed, misdeed.durationMs).unref());
      return false;
    case 'hang':
      return true;
    case 'page':
      response.writeHead(misdeed.status, { 'Content-Type': 'text/html' }).end('<html>Bad Gateway</html>');
      return true;
    case 'cut':
      if (misdeed.when !== 'before') return false;
      response.socket?.destroy();
      return true;
    case 'exception_after_header':
      return false;
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const { headers } = request;
  const isAnnounced = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (request.method === 'POST' && !isAnnounced) {
    throw exception(381, 'The Transfer-Encoding is not chunked and there is no Content-Length header for POST request');
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const packed = Buffer.concat(chunks);
  switch (headers['content-encoding'] ?? '') {
    case '':
      return packed;
    case 'gzip':
      return gunzipSync(packed);
    case 'deflate':
      return inflateSync(packed);
    case 'br':
      return brotliDecompressSync(packed);
    default:
      throw exception(48, `Unknown compression method: ${headers['content-encoding']}`);
  }
}

function formatOf(sql: string, form: HttpForm): string {
  const named = isInsert(sql) ? null : /\bFORMAT\s+(\w+)\s*;?\s*$/i.exec(sql)?.[1];
  return named ?? form.defaultFormat ?? 'TabSeparated';
}
