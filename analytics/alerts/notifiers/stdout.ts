import type { Notifier } from './notifier.ts';

/** One line of JSON per notification on the process's standard output. */
export function stdoutNotifier(write: (line: string) => void): Notifier {
  return {
    name: 'stdout',
    deliver: async (entry) => {
      write(`${entry.body}\n`);
      return { delivered: true };
    },
  };
}
