import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A process that answers each line with a line. */
export interface AskedProgram {
  readonly pid: number;
  readonly nextLine: () => Promise<string>;
  readonly ask: () => Promise<string>;
  readonly kill: () => Promise<void>;
}

export function startAskedProgram(script: string, args: readonly string[]): AskedProgram {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  if (child.pid === undefined) throw new Error('the program did not start');
  const nextLine = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the program ended');
    return line.value;
  };
  return {
    pid: child.pid,
    nextLine,
    ask: () => {
      child.stdin.write('\n');
      return nextLine();
    },
    kill: async () => {
      // One that is stopped ends too.
      child.kill('SIGKILL');
      await exited;
    },
  };
}
