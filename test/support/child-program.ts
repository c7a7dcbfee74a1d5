import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '../..');
/** Below node_modules: ignored by version control, and packages are found from there. */
const OUT_DIR = join(ROOT, 'node_modules/.cache/evenshare-test');

/** The numbered statements, for programs that do not run from where the sources are. */
export const SCHEMA_DIRECTORY = join(ROOT, 'analytics/schema/');

/** Makes a program of test sources into one script that a plain Node runs; returns its path. */
export async function bundleProgram(entry: string): Promise<string> {
  const name = `${basename(entry, '.ts')}.mjs`;
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    build: {
      ssr: entry,
      outDir: OUT_DIR,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { entryFileNames: name, codeSplitting: false } },
    },
  });
  return join(OUT_DIR, name);
}

export interface ChildProgram {
  readonly pid: number;
  /** The next line of its standard output; throws with what it said on standard error when it ends before. */
  readonly nextLine: () => Promise<string>;
  /** Closes its standard input and waits for its end; throws unless it exits with 0. */
  readonly finish: () => Promise<void>;
  /** Ends it as a power cut would, and waits for that. */
  readonly kill: () => Promise<void>;
}

/** Starts a script as a process of its own. */
export function startProgram(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProgram {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += String(chunk);
  });
  return {
    pid: pidOf(child),
    nextLine: async () => {
      const line = await lines.next();
      if (line.done === true) throw new Error(`the program ended: ${complaints}`);
      return line.value;
    },
    finish: async () => {
      child.stdin.end();
      const [code] = await exited;
      if (code !== 0) throw new Error(`the program exited with ${code}: ${complaints}`);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the program did not start');
  return child.pid;
}
