import type { Clock } from './clock.ts';

/** What a command knows of the process it runs in; the real one is made in main.ts. */
export interface CliContext {
  readonly stdout: { write(text: string): void };
  readonly stderr: { write(text: string): void; readonly isTTY: boolean };
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** Options that every command takes. */
export interface GlobalOptions {
  readonly config?: string;
  readonly debug?: boolean;
}
