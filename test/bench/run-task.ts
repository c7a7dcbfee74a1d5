import { fork } from 'node:child_process';
import type { Benchmark } from './benchmark.ts';

/** The argument that makes the script a task's process instead of the command line. */
export const TASK_FLAG = '--run-task';

type Answer = { readonly result: unknown } | { readonly error: string };

/**
 * Runs a benchmark's task in a process of its own, so that its peak memory and its event loop are nobody else's.
 *
 * @param input Plain data, as JSON can tell it; so is the result.
 * @throws When the task throws, with its message, or when its process ends without an answer.
 */
export function runTask<Result>(
  task: { readonly benchmark: string; readonly name: string },
  input: unknown,
): Promise<Result> {
  const script = process.argv[1] ?? '';
  return new Promise((resolve, reject) => {
    const child = fork(script, [TASK_FLAG, task.benchmark, task.name]);
    let answer: Answer | null = null;
    child.on('message', (message: Answer) => {
      answer = message;
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (answer === null)
        reject(new Error(`the task ${task.name} ended without a result (${signal ?? `exit ${code}`})`));
      else if ('error' in answer) reject(new Error(`the task ${task.name} failed: ${answer.error}`));
      // Seam: both ends of the channel are this program, and what a task returns is the caller's to know.
      else resolve(answer.result as Result);
    });
    child.send({ input });
  });
}

/** The other end: waits for the input, runs the task and sends what it returns. */
export function serveTask(benchmarks: readonly Benchmark[], benchmarkName: string, name: string): void {
  const task = benchmarks.find((one) => one.name === benchmarkName)?.tasks[name];
  process.once('message', async (message: { readonly input: unknown }) => {
    const answer: Answer = await (task === undefined
      ? Promise.reject(new Error('no such task'))
      : task(message.input)
    ).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
    process.send?.(answer, () => process.disconnect());
  });
}
