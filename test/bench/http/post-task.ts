import { connect, type Socket } from 'node:net';

export interface PostInput {
  readonly port: number;
  /** Connections, each with one request at a time. */
  readonly connections: number;
  readonly requests: number;
  /** Requests that become due a second, whatever the answers do; null: each connection sends as soon as it may. */
  readonly rateRps: number | null;
  /** Of the request ids. */
  readonly prefix: string;
}

export interface PostFigures {
  readonly elapsedMs: number;
  readonly accepted: number;
  /** Answers by status, other than 202. */
  readonly refused: Readonly<Record<string, number>>;
  /** From when a request was due to the end of its answer, ms. */
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

const HEAD_END = '\r\n\r\n';

/** A sender that costs next to nothing: bytes made beforehand as far as may be, answers looked at for their status. */
export async function postEvents(input: PostInput): Promise<PostFigures> {
  const sender = new Sender(input);
  const sockets = await Promise.all(Array.from({ length: input.connections }, () => open(input.port)));
  const figures = await sender.run(sockets);
  for (const socket of sockets) socket.destroy();
  return figures;
}

class Sender {
  readonly #input: PostInput;
  readonly #latencies: Float64Array;
  readonly #refused: Record<string, number> = {};
  #sent = 0;
  #done = 0;
  #accepted = 0;
  #startMs = 0;
  #finish: (() => void) | null = null;

  constructor(input: PostInput) {
    this.#input = input;
    this.#latencies = new Float64Array(input.requests);
  }

  async run(sockets: readonly Socket[]): Promise<PostFigures> {
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    this.#startMs = performance.now();
    const idle: Lane[] = [];
    const lanes = sockets.map((socket) => new Lane(socket, (lane, status) => this.#answered(lane, status, idle)));
    if (this.#input.rateRps === null) for (const lane of lanes) this.#send(lane, performance.now());
    else {
      idle.push(...lanes);
      this.#pace(idle, this.#input.rateRps);
    }
    await finished;
    const elapsedMs = performance.now() - this.#startMs;
    const sorted = this.#latencies.subarray(0, this.#done).sort();
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    const latencyMs = { p50: at(0.5), p99: at(0.99), max: at(1) };
    return { elapsedMs, accepted: this.#accepted, refused: this.#refused, latencyMs };
  }

  /** Sends what has become due; a request for which no connection is free waits, and its wait counts. */
  #pace(idle: Lane[], rateRps: number): void {
    const timer = setInterval(() => {
      const dueUntil = Math.min(this.#input.requests, ((performance.now() - this.#startMs) / 1000) * rateRps);
      while (this.#sent < dueUntil) {
        const lane = idle.pop();
        if (lane === undefined) return;
        this.#send(lane, this.#startMs + (this.#sent / rateRps) * 1000);
      }
      if (this.#sent >= this.#input.requests) clearInterval(timer);
    }, 1);
  }

  #send(lane: Lane, dueMs: number): void {
    if (this.#sent >= this.#input.requests) return;
    lane.send(requestOf(`${this.#input.prefix}-${this.#sent++}`, Date.now()), dueMs);
  }

  #answered(lane: Lane, status: string, idle: Lane[]): void {
    this.#latencies[this.#done++] = performance.now() - lane.dueMs;
    if (status === '202') this.#accepted++;
    else this.#refused[status] = (this.#refused[status] ?? 0) + 1;
    if (this.#done === this.#input.requests) this.#finish?.();
    else if (this.#input.rateRps === null) this.#send(lane, performance.now());
    else idle.push(lane);
  }
}

/** One connection with at most one request under way. */
class Lane {
  dueMs = 0;
  readonly #socket: Socket;
  #text = '';

  constructor(socket: Socket, answered: (lane: Lane, status: string) => void) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1');
      const headEnd = this.#text.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#text)?.[1]);
      if (this.#text.length < headEnd + HEAD_END.length + length) return;
      const status = this.#text.slice(9, 12);
      this.#text = '';
      answered(this, status);
    });
  }

  send(request: string, dueMs: number): void {
    this.dueMs = dueMs;
    this.#socket.write(request);
  }
}

/** One event of about 250 bytes in a request of its own. */
function requestOf(id: string, nowMs: number): string {
  const arrivedAtMs = nowMs - 400;
  const body = `{"schema":"evenshare.decision.v1","request_id":"${id}","pool":"llm-a","tenant":"tenant-${(id.length * nowMs) % 5_000}","class":"interactive","arrived_at":${arrivedAtMs},"dispatched_at":${arrivedAtMs + 20},"completed_at":${arrivedAtMs + 340},"status":"ok","input_tokens":315,"output_tokens":207}`;
  return `POST /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}
