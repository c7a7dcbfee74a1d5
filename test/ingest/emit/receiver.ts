import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';

export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly lines: readonly string[];
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Receiver {
  readonly url: string;
  /** Every request received whole, in order, whatever it was answered. */
  readonly requests: readonly Received[];
  /** Ids of the lines that were answered with 202, in order. */
  readonly taken: readonly string[];
  /** Resolves once so many requests came. */
  came(requests: number): Promise<void>;
  close(): Promise<void>;
}

const TAKEN: ReceiverAnswer = { status: 202, body: '{"accepted":0,"rejected":[],"rejected_total":0}' };

/** What stands in for an intake that does as a test says: `answer` decides on each request by its number, from 0; null is silence. */
export async function startReceiver(
  answer: (index: number, received: Received) => ReceiverAnswer | null = () => TAKEN,
): Promise<Receiver> {
  const requests: Received[] = [];
  const taken: string[] = [];
  const watchers = new Map<number, () => void>();
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const packed = Buffer.concat(chunks);
    const body = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(packed) : packed;
    const lines = body.toString('utf8').split('\n').slice(0, -1);
    const received = { url: incoming.url ?? '', headers: incoming.headers, lines };
    const decided = answer(requests.push(received) - 1, received);
    if (decided?.status === 202) for (const line of lines) taken.push(String(JSON.parse(line).request_id));
    watchers.get(requests.length)?.();
    if (decided === null) return;
    response.writeHead(decided.status, { 'content-type': 'application/json', ...decided.headers });
    response.end(decided.body ?? '{}');
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a listener without a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    taken,
    came: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else watchers.set(count, resolve);
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
