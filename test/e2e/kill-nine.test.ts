import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PoolWindows } from '../../analytics/index.ts';
import { type CliSandbox, cliSandbox, type UpProcess } from '../support/run-cli.ts';
import { folderContents } from '../support/store-contents.ts';

// What was acknowledged survives `kill -9`, once, whatever the sender has to send again; what was refused lies in the
// dead letters, once.

const BODIES = 200;
const EVENTS_PER_BODY = 1_000;
const INVALID_EVERY = 50;
const IN_FLIGHT = 4;
/** Kills come when so many bodies are acknowledged. */
const KILLS_AT = [60, 130];
const INVALID = (BODIES * EVENTS_PER_BODY) / INVALID_EVERY;
const VALID = BODIES * EVENTS_PER_BODY - INVALID;

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterAll(() => sandbox.remove());

/** Twenty minutes of requests that began half an hour ago: an intake takes no old ones. */
const FROM_MS = Date.now() - 30 * 60_000;
const EVERY_MS = (20 * 60_000) / (BODIES * EVENTS_PER_BODY);

function bodyOf(number: number): string {
  let body = '';
  for (let index = number * EVENTS_PER_BODY; index < (number + 1) * EVENTS_PER_BODY; index++) {
    const arrivedAtMs = FROM_MS + Math.floor(index * EVERY_MS);
    const identity = { request_id: `r${index}`, tenant: `t${index % 7}` };
    const times = { arrived_at: arrivedAtMs, dispatched_at: arrivedAtMs + 3, completed_at: arrivedAtMs + 20 };
    // An invalid one lacks its arrival and carries its id, by which it is found among the dead letters.
    body += `${JSON.stringify(index % INVALID_EVERY === 0 ? identity : { ...identity, ...times })}\n`;
  }
  return body;
}

/** A gateway's sender: bodies in order, some in flight at a time, each again until it is acknowledged. */
class Sender {
  acknowledged = 0;
  repeated = 0;
  readonly #url: string;
  /** Resolves when a server listens (again). */
  #listening: Promise<unknown>;
  readonly #watchers = new Map<number, () => void>();
  #next = 0;

  constructor(address: string) {
    this.#url = `${address}/v1/events`;
    this.#listening = Promise.resolve();
  }

  restarting(listening: Promise<unknown>): void {
    this.#listening = listening;
  }

  /** Resolves as soon as so many bodies are acknowledged. */
  reached(bodies: number): Promise<void> {
    return new Promise((resolve) => this.#watchers.set(bodies, resolve));
  }

  async sendAll(): Promise<void> {
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => this.#sendSome()));
  }

  async #sendSome(): Promise<void> {
    while (this.#next < BODIES) {
      const body = bodyOf(this.#next++);
      while (!(await this.#isAcknowledged(body))) {
        this.repeated++;
        await this.#listening;
      }
      this.acknowledged++;
      this.#watchers.get(this.acknowledged)?.();
    }
  }

  async #isAcknowledged(body: string): Promise<boolean> {
    try {
      const headers = { 'content-type': 'application/x-ndjson' };
      const response = await fetch(this.#url, { method: 'POST', headers, body });
      const answer = await response.json();
      if (response.status !== 202) return false;
      const rejected = EVENTS_PER_BODY / INVALID_EVERY;
      expect(answer).toMatchObject({ accepted: EVENTS_PER_BODY - rejected, conflict: 0, rejected_total: rejected });
      return true;
    } catch (error) {
      // A broken connection says nothing of what became of the body; anything else is a failure of the test.
      if (error instanceof TypeError || error instanceof SyntaxError) return false;
      throw error;
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('a listener without a port');
  return address.port;
}

test('every acknowledged event is there once, every refused one in the dead letters once, through two kill -9', {
  timeout: 180_000,
}, async () => {
  const dataDir = sandbox.path('data');
  const args = ['--port', String(await freePort()), '--data-dir', dataDir];
  let server: UpProcess = await sandbox.up(args);
  const sender = new Sender(server.address);
  const kills = KILLS_AT.map((bodies) => sender.reached(bodies));
  const sent = sender.sendAll();
  for (const killed of kills) {
    await Promise.race([killed, sent]);
    server.kill('SIGKILL');
    const restarted = server.ended.then(() => sandbox.up(args));
    sender.restarting(restarted);
    expect(await server.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
    server = await restarted;
  }
  await sent;
  expect(sender.acknowledged).toBe(BODIES);
  // The kills did come while bodies were in flight.
  expect(sender.repeated).toBeGreaterThanOrEqual(KILLS_AT.length);
  server.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);

  expect(await folderContents(dataDir)).toMatchObject({
    requests: VALID,
    requestIds: VALID,
    letters: INVALID,
    letterContents: INVALID,
  });
  const analyzed = await sandbox.run(['analyze', '--json', '--data-dir', dataDir]);
  expect(analyzed.code).toBe(0);
  const range = ['--from', String(FROM_MS - 60_000), '--to', String(FROM_MS + 30 * 60_000)];
  const { stdout } = await sandbox.run(['fairness', '--json', '--data-dir', dataDir, ...range]);
  const { windows }: PoolWindows = JSON.parse(stdout);
  expect(windows.reduce((total, window) => total + window.requests, 0)).toBe(VALID);
});
