import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Switch } from '../support/clickhouse-http/switches.ts';

export const DATABASE = 'evenshare';
const DISK_BYTES = 512 * 1024 * 1024;

/** The store as a process of its own, on a disk of its own where one can be mounted. */
export class StoreProcess {
  readonly #program: string;
  readonly #folder: string;
  #isDisk = false;
  #child: ChildProcessByStdio<Writable, Readable, null> | null = null;
  #port = 0;

  constructor(program: string, folder: string) {
    this.#program = program;
    this.#folder = folder;
  }

  get port(): number {
    return this.#port;
  }

  /** Whether the disk can really be filled. */
  get isDisk(): boolean {
    return this.#isDisk;
  }

  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const options = ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', this.#folder];
    this.#isDisk = spawnSync('mount', options, { stdio: 'ignore' }).status === 0;
    await this.#launch();
    await this.ask(`CREATE DATABASE ${DATABASE}`, '');
  }

  /** One statement over HTTP, past the proxy and without the product's client. */
  async ask(sql: string, database = DATABASE): Promise<string> {
    const search = database === '' ? '' : `?database=${database}`;
    const response = await fetch(`http://127.0.0.1:${this.#port}/${search}`, { method: 'POST', body: sql });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  set(...switches: readonly Switch[]): void {
    this.#child?.stdin.write(`${JSON.stringify(switches)}\n`);
  }

  /** As a power cut would, but for what the system has in its cache. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    this.#child = null;
  }

  /** On the same port, with the same data. */
  async restart(): Promise<void> {
    await this.#launch();
  }

  /** No room for anything, for so long as `work` takes. */
  async withFullDisk(work: () => Promise<void>): Promise<void> {
    if (!this.#isDisk) {
      this.set({ match: 'insert', does: { kind: 'exception', code: 243 } });
      await work();
      this.set();
      return;
    }
    const { bavail, bsize } = await statfs(this.#folder);
    const filler = join(this.#folder, 'filler');
    // The store writes too: whoever comes first takes the last of it.
    await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(() => undefined);
    await work();
    await rm(filler);
  }

  async remove(): Promise<void> {
    await this.kill();
    if (this.#isDisk) spawnSync('umount', [this.#folder]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #launch(): Promise<void> {
    const child = spawn(process.execPath, [this.#program, join(this.#folder, 'data'), String(this.#port)], {
      env: { ...process.env, UV_THREADPOOL_SIZE: '8' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => undefined);
    const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = await said.next();
    if (first.done === true) throw new Error('the store did not start');
    this.#port = Number(new URL(JSON.parse(first.value).url).port);
    this.#child = child;
  }
}
