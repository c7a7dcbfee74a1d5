import { fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { PassThrough, pipeline } from 'node:stream';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { assertInvariant, EvenshareError } from '../scheduler-core/kernel/index.ts';

const STDIN_FD = 0;
const PUMP = fileURLToPath(new URL('./pump-standard-input.js', import.meta.url));

export interface StandardInput {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Lets go of it, read or not. Idempotent. */
  close(): void;
}

/**
 * Takes the standard input away from this process, before a store opens, and returns what it holds.
 *
 * The embedded engine appends whatever it finds on descriptor 0 to the rows of any insert (it is made of a command-line
 * client), so the null device has to be there. What `-` reads comes through a child that inherited the descriptor: Node
 * cannot duplicate one, and a socket (which is what other Node programs give as a pipe) cannot be opened again by name.
 * A terminal stays: the engine does not read from one.
 *
 * Reading it throws `EVS_INPUT_UNREADABLE`, and `EVS_INTERRUPTED` once the signal aborts, even while nothing comes.
 */
export function takeStandardInput(isRead: boolean, signal: AbortSignal): StandardInput {
  if (isatty(STDIN_FD)) return { chunks: process.stdin, close: () => process.stdin.destroy() };
  const input = isRead ? pumpedInput(signal) : NOTHING;
  closeSync(STDIN_FD);
  // The lowest free descriptor is taken, which is the one just closed.
  assertInvariant(openSync(devNull, 'r') === STDIN_FD, 'the null device did not become the standard input');
  return input;
}

const NOTHING: StandardInput = { chunks: nothing(), close: () => undefined };

async function* nothing(): AsyncGenerator<Uint8Array> {}

function pumpedInput(signal: AbortSignal): StandardInput {
  // Out of the terminal's process group: an interrupt must not look like the end of the input.
  const child = fork(PUMP, { stdio: ['inherit', 'pipe', 'ignore', 'ipc'], detached: true, execArgv: [] });
  const { stdout } = child;
  assertInvariant(stdout !== null, 'the child has no pipe, though one was asked for');
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
    child.once('error', () => resolve(null));
  });
  // Read from the start: what an unread pipe still holds when its child exits is thrown away by Node. An error shows in
  // the loop that reads.
  const received = new PassThrough();
  pipeline(stdout, received, () => undefined);
  const close = (): void => {
    received.destroy();
    if (child.connected) child.disconnect();
  };
  signal.addEventListener('abort', close, { once: true });

  const read = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* received;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (signal.aborted) throw new EvenshareError('EVS_INTERRUPTED', 'interrupted');
    if ((await exited) !== 0) {
      throw new EvenshareError('EVS_INPUT_UNREADABLE', 'the standard input cannot be read: name a file instead');
    }
  };
  return { chunks: read(), close };
}
