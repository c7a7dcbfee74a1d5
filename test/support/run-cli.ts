import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');
const BUILD_FIRST = 'dist/cli/main.js is missing: run "npm run build" before the tests of the command line';

export interface CliOptions {
  /** What the command reads; `open`: a pipe that the test holds; default nothing. */
  readonly stdin?: string | Uint8Array | 'open';
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the sandbox's own folder. */
  readonly cwd?: string;
}

export interface CliResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command under way: a real process of the built program. */
export interface CliProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Never rejects. */
  readonly ended: Promise<CliResult>;
  /** Resolves once the condition holds for what was printed; rejects when the process ends before. */
  printed(condition: (output: { readonly stdout: string; readonly stderr: string }) => boolean): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export interface UpProcess extends CliProcess {
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
}

/** A folder of its own, in which commands run and leave their traces; all of it goes away with `remove`. */
export interface CliSandbox {
  readonly folder: string;
  path(...names: string[]): string;
  /** Writes a file and returns its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  start(args: readonly string[], options?: CliOptions): CliProcess;
  /** `evenshare up --json` with these arguments, once it listens. */
  up(args: readonly string[], options?: CliOptions): Promise<UpProcess>;
  /** What commands left in the folder for temporary files. */
  leftovers(): Promise<string[]>;
  /** Ends every process that is left, by its id, and waits for it. */
  endAll(): Promise<void>;
  /** The same, then removes the folder. */
  remove(): Promise<void>;
}

export async function cliSandbox(): Promise<CliSandbox> {
  if (!existsSync(MAIN)) throw new Error(BUILD_FIRST);
  const folder = await mkdtemp(join(tmpdir(), 'evenshare-cli-'));
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  const alive = new Set<CliProcess>();

  const start = (args: readonly string[], options: CliOptions = {}): CliProcess => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd ?? folder,
      env: { ...process.env, TMPDIR: temporary, NO_COLOR: '1', ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const running = follow(child);
    alive.add(running);
    void running.ended.then(() => alive.delete(running));
    if (options.stdin !== 'open') child.stdin.end(options.stdin ?? '');
    return running;
  };

  const endAll = async (): Promise<void> => {
    const left = [...alive];
    for (const running of left) running.kill('SIGKILL');
    await Promise.all(left.map((running) => running.ended));
  };

  return {
    folder,
    path: (...names) => join(folder, ...names),
    async write(name, content) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    start,
    run: (args, options) => start(args, options).ended,
    async up(args, options) {
      const running = start(['up', '--json', ...args], options);
      let address = '';
      await running.printed(({ stdout }) => {
        const end = stdout.indexOf('\n');
        if (end >= 0) address = String(JSON.parse(stdout.slice(0, end)).address);
        return end >= 0;
      });
      return { ...running, address };
    },
    leftovers: async () => (await readdir(temporary)).sort(),
    endAll,
    async remove() {
      await endAll();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function follow(child: ChildProcessByStdio<Writable, Readable, Readable>): CliProcess {
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8');
    child[name].on('data', (text: string) => {
      output[name] += text;
      for (const look of watchers) look();
    });
  }
  // It may end without having read everything.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<CliResult>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    kill: (signal) => void child.kill(signal),
    printed: (condition) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!condition(output)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
        void ended.then(({ code, signal }) =>
          reject(new Error(`the command ended first (${code ?? signal}): ${output.stderr}${output.stdout}`)),
        );
      }),
  };
}
