import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface IntakeRequest {
  readonly method: string;
  readonly url: string;
  readonly contentType: string;
  readonly authorization: string | null;
  readonly body: string;
}

export interface IntakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RecordingIntake {
  readonly baseUrl: string;
  /** Every request received whole, in order, whatever it was answered. */
  readonly requests: readonly IntakeRequest[];
  /** The parsed lines of the requests that were answered with 202. */
  accepted(): Record<string, unknown>[];
  /** The greatest number of requests that were open at once. */
  mostInFlight(): number;
  close(): Promise<void>;
}

const ACCEPT: IntakeAnswer = { status: 202, body: '{"accepted":0,"duplicate":0,"rejected":[]}' };

/**
 * A small intake on a loopback port. `answer` decides on each request by its number (from 0); null is no answer at all.
 */
export async function startIntake(
  answer: (index: number, request: IntakeRequest) => IntakeAnswer | null = () => ACCEPT,
): Promise<RecordingIntake> {
  const requests: IntakeRequest[] = [];
  const acceptedBodies: string[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight++;
    mostInFlight = Math.max(mostInFlight, inFlight);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const request: IntakeRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      contentType: incoming.headers['content-type'] ?? '',
      authorization: incoming.headers.authorization ?? null,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    const decided = answer(requests.push(request) - 1, request);
    if (decided === null) return;
    if (decided.status === 202) acceptedBodies.push(request.body);
    inFlight--;
    response.writeHead(decided.status, { 'content-type': 'application/json', ...decided.headers });
    response.end(decided.body ?? '{}');
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an address of this shape.
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    accepted: () =>
      acceptedBodies.flatMap((body) =>
        body
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      ),
    mostInFlight: () => mostInFlight,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
