import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface BenchBroker {
  readonly bootstrap: string;
  stop(): Promise<void>;
}

/** `npm run kafka` as a process of its own, with one topic; the benchmark runs in the package's folder. */
export async function startBroker(topic: string, partitions: number): Promise<BenchBroker> {
  const child = spawn(
    process.execPath,
    ['scripts/kafka/main.js', '--topics', topic, '--partitions', String(partitions)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const bootstrap = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const servers = /^bootstrap servers (\S+)$/.exec(line)?.[1];
      if (servers !== undefined) resolve(servers);
    });
    void ended.then(() => reject(new Error('the broker ended before it served')));
  });
  return {
    bootstrap,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
