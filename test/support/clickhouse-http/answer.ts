import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGzip, type Gzip } from 'node:zlib';
import { type Exception, statusOf } from './exception.ts';

export interface AnswerContext {
  readonly queryId: string;
  readonly version: string;
  readonly format: string;
  /** `enable_http_compression=1`. */
  readonly mayCompress: boolean;
  /** Epoch ms of the request, monotonic. */
  readonly startedMs: number;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  TabSeparated: 'text/tab-separated-values; charset=UTF-8',
  JSON: 'application/json; charset=UTF-8',
  JSONEachRow: 'application/x-ndjson; charset=UTF-8',
  CSV: 'text/csv; charset=UTF-8; header=absent',
};

/** One answer on its way: header at the first byte, then the body, plain or packed. */
export class Answer {
  readonly #response: ServerResponse;
  readonly #context: AnswerContext;
  readonly #tag = Array.from(randomBytes(16), (byte) => String.fromCharCode(97 + (byte % 26))).join('');
  readonly #isPacked: boolean;
  #packer: Gzip | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, context: AnswerContext) {
    this.#response = response;
    this.#context = context;
    this.#isPacked = context.mayCompress && /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '');
  }

  async write(chunk: Uint8Array, figures: Figures = {}): Promise<void> {
    if (!this.#response.headersSent) this.#begin(200, figures);
    if (chunk.byteLength === 0) return;
    const sink = this.#packer ?? this.#response;
    await new Promise<void>((written) => sink.write(chunk, () => written()));
  }

  async end(): Promise<void> {
    const sink = this.#packer ?? this.#response;
    await new Promise<void>((ended) => sink.end(() => ended()));
  }

  /** With a status while the header is not sent; else in the body, and the connection is closed without its end. */
  async fail({ code, text }: Exception): Promise<void> {
    const message = `${text} (version ${this.#context.version} (official build))\n`;
    if (!this.#response.headersSent) {
      this.#response.setHeader('X-ClickHouse-Exception-Code', String(code));
      this.#begin(statusOf(code), {}, false);
      this.#response.end(message);
      return;
    }
    const tag = this.#tag;
    const block = `\r\n__exception__\r\n${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}\r\n__exception__\r\n`;
    await this.write(Buffer.from(block));
    const packer = this.#packer;
    if (packer !== null) await new Promise<void>((flushed) => packer.flush(() => flushed()));
    // Not `end`: the chunks have no last one, so that nobody takes the answer for whole.
    this.cut();
  }

  /** Ends the connection in the middle. */
  cut(): void {
    this.#response.socket?.destroySoon();
  }

  #begin(status: number, figures: Figures, mayPack = true): void {
    const { queryId, format, startedMs } = this.#context;
    const response = this.#response;
    response.statusCode = status;
    response.setHeader(
      'Content-Type',
      status === 200 ? (CONTENT_TYPES[format] ?? 'text/plain; charset=UTF-8') : 'text/plain; charset=UTF-8',
    );
    response.setHeader('X-ClickHouse-Server-Display-Name', 'test');
    response.setHeader('X-ClickHouse-Query-Id', queryId);
    response.setHeader('X-ClickHouse-Format', format);
    response.setHeader('X-ClickHouse-Timezone', 'UTC');
    response.setHeader('X-ClickHouse-Exception-Tag', this.#tag);
    response.setHeader('X-ClickHouse-Summary', summary(figures, performance.now() - startedMs));
    if (this.#isPacked && mayPack) {
      response.setHeader('Content-Encoding', 'gzip');
      this.#packer = createGzip();
      this.#packer.pipe(response);
    }
    response.flushHeaders();
  }
}

export interface Figures {
  readonly readRows?: number;
  readonly readBytes?: number;
  readonly writtenRows?: number;
  readonly resultBytes?: number;
}

function summary(figures: Figures, elapsedMs: number): string {
  const { readRows = 0, readBytes = 0, writtenRows = 0, resultBytes = 0 } = figures;
  return JSON.stringify({
    read_rows: String(readRows),
    read_bytes: String(readBytes),
    written_rows: String(writtenRows),
    written_bytes: '0',
    total_rows_to_read: '0',
    result_rows: String(writtenRows),
    result_bytes: String(resultBytes),
    elapsed_ns: String(Math.round(elapsedMs * 1e6)),
  });
}
