import { createServer, connect as open, type Server, type Socket } from 'node:net';

/** What stands between the processes and the store, and what it does. */
export type ProxyMode = 'pass' | 'refuse' | 'hang' | 'cut' | 'page';

/** Connections that it cuts live for so many bytes at most. */
const CUT_BYTES = 64 * 1024;
const PAGE = '<html><h1>503 Service Unavailable</h1></html>';

/** A proxy of bytes on a loopback port of its own. */
export class StoreProxy {
  readonly #target: () => number;
  readonly #chance: () => number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;
  #mode: ProxyMode = 'pass';

  constructor(target: () => number, chance: () => number) {
    this.#target = target;
    this.#chance = chance;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    await this.#listen();
  }

  async set(mode: ProxyMode): Promise<void> {
    const before = this.#mode;
    this.#mode = mode;
    if (mode === 'refuse' || mode === 'page') for (const socket of this.#sockets) socket.destroy();
    if (mode === 'refuse') await this.#unlisten();
    else if (before === 'refuse') await this.#listen();
    for (const socket of this.#sockets) {
      if (mode === 'hang') socket.pause();
      else socket.resume();
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.#unlisten();
  }

  async #listen(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    await new Promise<void>((listening, failed) => {
      server.once('error', failed);
      server.listen(this.#port, '127.0.0.1', listening);
    });
    const address = server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : this.#port;
    this.#server = server;
  }

  async #unlisten(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server !== null) await new Promise((closed) => server.close(closed));
  }

  #accept(client: Socket): void {
    this.#keep(client);
    if (this.#mode === 'page') {
      const head = `HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}`;
      client.once('data', () => client.end(`${head}\r\nConnection: close\r\n\r\n${PAGE}`));
      return;
    }
    const store = open(this.#target(), '127.0.0.1');
    this.#keep(store);
    const cutAfter = this.#chance() * CUT_BYTES;
    let bytes = 0;
    const relay = (from: Socket, to: Socket): void => {
      from.on('data', (chunk) => {
        bytes += chunk.byteLength;
        if (this.#mode === 'cut' && bytes > cutAfter) from.destroy();
        else to.write(chunk);
      });
      from.on('close', () => to.destroy());
    };
    relay(client, store);
    relay(store, client);
    if (this.#mode === 'hang') client.pause();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // The other end is told by its own connection.
    socket.on('error', () => undefined);
  }
}
