import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock } from '../../cli/clock.ts';

const RESTART_AFTER_MS = 200;
/** One that ended by itself is started again like this, lest a fault become a loop. */
const RESTART_FAILED_AFTER_MS = 1_000;
/** What is kept of what processes said as they ended by themselves. */
const KEPT_WORDS = 400;

export interface FleetOptions {
  /** The built command line. */
  readonly program: string;
  readonly config: string;
  /** A folder for the fleet's own files. */
  readonly folder: string;
  readonly size: number;
  /** shift-clock.mjs. */
  readonly preload: string;
}

interface Member {
  child: ChildProcessByStdio<null, Readable, Readable> | null;
  isWanted: boolean;
  isReady: boolean;
  readonly clockFile: string;
  /** All that its lives say on standard error. */
  readonly logFile: string;
}

/** `evenshare ingest`, several times; whoever ends is started again, as an orchestrator does. */
export class IngestFleet {
  /** Kills that met a process that was alive. */
  kills = 0;
  /** Ends that nobody here asked for, by the last that was said. */
  readonly ownEnds: string[] = [];
  readonly #options: FleetOptions;
  readonly #members: Member[] = [];
  readonly #over = new AbortController();

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  start(): void {
    for (let index = 0; index < this.#options.size; index++) this.add();
  }

  /** One more; returns its number. */
  add(): number {
    const index = this.#members.length;
    const fileOf = (name: string): string => join(this.#options.folder, `${name}-${index}`);
    const files = { clockFile: fileOf('clock'), logFile: fileOf('ingest.log') };
    this.#members.push({ child: null, isWanted: true, isReady: false, ...files });
    void this.#keepAlive(index);
    return index;
  }

  /** Ends it in order and for good. */
  async leave(index: number): Promise<void> {
    const member = this.#members[index];
    if (member === undefined) return;
    member.isWanted = false;
    const { child } = member;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  kill(index: number): void {
    const child = this.#members[index]?.child;
    if (child?.kill('SIGKILL') === true) this.kills++;
  }

  signal(index: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#members[index]?.child?.kill(signal);
  }

  async shiftClock(index: number, shiftMs: number): Promise<void> {
    const member = this.#members[index];
    if (member === undefined) return;
    await writeFile(member.clockFile, String(shiftMs));
    // Before it is ready it may not listen for the signal yet, which would end it.
    if (member.isReady) member.child?.kill('SIGUSR2');
  }

  /** Resolves once every process that is wanted has said that it works; rejects when one cannot start at all. */
  async allReady(): Promise<void> {
    while (this.#members.some((one) => one.isWanted && !one.isReady)) {
      if (this.ownEnds.length > 0) throw new Error(`a process did not start: ${this.ownEnds[0]}`);
      await systemClock.sleep(50);
    }
  }

  async isReady(index: number): Promise<void> {
    while (this.#members[index]?.isReady !== true) await systemClock.sleep(20);
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#members.map((_, index) => this.leave(index)));
  }

  async #keepAlive(index: number): Promise<void> {
    const member = this.#members[index];
    while (member?.isWanted && !this.#over.signal.aborted) {
      const end = await this.#live(member);
      const isOwn = end !== null && member.isWanted;
      if (isOwn) this.ownEnds.push(end);
      await systemClock.sleep(isOwn ? RESTART_FAILED_AFTER_MS : RESTART_AFTER_MS, this.#over.signal);
    }
  }

  /** One life; what was said last when it ended by itself, null when it was killed. */
  async #live(member: Member): Promise<string | null> {
    const { program, config, preload } = this.#options;
    const args = ['--import', preload, program, 'ingest', '--config', config, '--port', '0'];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, NO_COLOR: '1', EVENSHARE_FAULTS_CLOCK: member.clockFile },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    member.child = child;
    // Nobody may be left behind, however this process ends.
    const endWithParent = (): void => void child.kill('SIGKILL');
    process.once('exit', endWithParent);
    let words = '';
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('health and metrics at')) member.isReady = true;
    });
    child.stderr.on('data', (chunk) => {
      words = (words + String(chunk)).slice(-KEPT_WORDS);
      appendFileSync(member.logFile, chunk);
    });
    const signal = await new Promise<NodeJS.Signals | null>((ended) => child.once('exit', (_, by) => ended(by)));
    process.off('exit', endWithParent);
    member.child = null;
    member.isReady = false;
    return signal === null ? words.trim() : null;
  }
}
