/** Prints one line of a benchmark's report. */
export type Print = (line: string) => void;

/** What `npm run bench -- NAME` runs. */
export interface Benchmark {
  readonly name: string;
  /** What it measures, for the list of names. */
  readonly summary: string;
  /** Its arguments and options, for `--help`. */
  readonly usage: string;
  /** Prints ratios of one run with the absolute figures beside them; it never judges. */
  run(args: readonly string[], print: Print): Promise<void>;
  /** Work that it does in processes of their own (see run-task.ts), by name. */
  readonly tasks: Readonly<Record<string, (input: unknown) => Promise<unknown>>>;
}

/** A mistake in the command line: printed without a stack. */
export class UsageError extends Error {}
