import { EvenshareError, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import type { BatchWriter } from '../batch/batch-writer.ts';
import type { LoadReport } from '../load-report.ts';
import { isSameFile } from './file-identity.ts';
import { findLeft, lookAtPath, type RotatedFile, rotatedFiles } from './find-rotated.ts';
import type { FollowPosition, PositionStore } from './follow-position.ts';
import { FollowedLog, type LogFormat } from './followed-log.ts';
import { StoredPieces } from './stored-pieces.ts';

export interface FollowFileOptions extends LogFormat {
  readonly path: string;
  readonly writer: BatchWriter;
  readonly positions: PositionStore;
  readonly nowMs: () => number;
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
  /** Resolves when it is time to look at the file again, or as soon as the signal aborts. */
  readonly nextLook: (signal: AbortSignal) => Promise<void>;
  /** Ends the following: what was read is stored, and the position written, before the result comes. */
  readonly signal: AbortSignal;
  /** Told what an operator should know; nothing of the log's contents. */
  readonly onMessage: (message: string) => void;
}

/** So long nobody must have written to a rotated file before its end is taken for its end. */
const ROTATION_GRACE_MS = 5 * SECOND_MS;

/**
 * Loads a log as it grows, from where an earlier run stopped, through rotation: a file that was renamed, and another
 * made in its place, is read to its end first; one that was emptied in place (copytruncate) is read on in its copy. A last line
 * without its end waits for it.
 *
 * @throws EVS_INPUT_…: missing at the start, binary, another format than was said, an unusable position file; EVS_STORE_…
 * when the store refuses for good. An unreachable store is waited for.
 */
export async function followFile(options: FollowFileOptions): Promise<LoadReport> {
  const known = await options.positions.read();
  const { adapter, adapterOptions, onMessage } = options;
  const pieces = new StoredPieces(
    { ...options, parse: adapter.open(adapterOptions), format: adapter.name, onTrouble: onMessage },
    known !== null && known.offsetBytes > 0,
  );
  const follower = new Follower(options, pieces);
  try {
    await follower.run(known);
    await pieces.flush();
  } catch (error) {
    // The position stays before what could not be stored: the next run reads it again.
    const isLeft = options.signal.aborted && error instanceof EvenshareError && error.retryable;
    if (!isLeft) throw error;
    onMessage('the store did not take the last events: they are read again by the next run');
  }
  return pieces.report;
}

/** How often rotation may get in the way of reading what it has left. */
const MAX_CATCH_UPS = 8;

class Follower {
  readonly #options: FollowFileOptions;
  readonly #pieces: StoredPieces;

  constructor(options: FollowFileOptions, pieces: StoredPieces) {
    this.#options = options;
    this.#pieces = pieces;
  }

  async run(known: FollowPosition | null): Promise<void> {
    const { path, signal, onMessage } = this.#options;
    let last = known;
    let isReadToItsEnd = false;
    let told = '';
    while (!signal.aborted) {
      const from = last === null ? null : await this.#catchUp(last, isReadToItsEnd);
      const log = await this.#openCurrent(from, last !== null);
      // It was rotated since it was looked at.
      if (log === null) continue;
      try {
        const { file, offsetBytes, line } = log.position;
        const where = `following ${JSON.stringify(path)} from byte ${offsetBytes}, line ${line}`;
        if (`${file.inode} ${where}` !== told) onMessage(where);
        told = `${file.inode} ${where}`;
        await this.#pieces.moveTo(log.position);
        isReadToItsEnd = await this.#readOn(log);
        last = log.position;
      } finally {
        await log.close();
      }
    }
  }

  /**
   * Reads what rotation has left of the time since a position: the rest of the file that was read then, or of its copy,
   * and whatever came between it and the present one. Returns where to go on in the present one; null: at its start.
   */
  async #catchUp(known: FollowPosition, isReadToItsEnd: boolean): Promise<FollowPosition | null> {
    let from = known;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#readRotated(from, isReadToItsEnd);
      } catch (error) {
        // Rotated on between the look and the opening.
        if (attempt === MAX_CATCH_UPS || !isMissing(error)) throw error;
      }
      from = this.#pieces.position ?? known;
    }
  }

  async #readRotated(known: FollowPosition, isReadToItsEnd: boolean): Promise<FollowPosition | null> {
    const { path, onMessage } = this.#options;
    const present = await lookAtPath(path);
    if (present !== null && isSameFile(present, known.file, known.offsetBytes)) return known;
    const rotated = (await rotatedFiles(path)).filter(({ look }) => look.inode !== present?.inode);
    const left = findLeft(rotated, known);
    const isPresent = present?.inode === known.file.inode && known.file.isVague;
    if (left.read === null && !isReadToItsEnd && !isPresent) {
      onMessage(
        `the file that was read up to byte ${known.offsetBytes} is no longer ${JSON.stringify(path)} and not beside it either: what was written to it after that is missing; load it by hand if it is still somewhere`,
      );
    }
    if (left.read !== null) await this.#readWhole(left.read, known);
    for (const file of left.newer) await this.#readWhole(file, null);
    return null;
  }

  /** Reads a file that nobody writes to any more. */
  async #readWhole(file: RotatedFile, from: FollowPosition | null): Promise<void> {
    if (this.#options.signal.aborted) return;
    const log = await FollowedLog.open(file.path, this.#options, from);
    try {
      await this.#readAvailable(log);
      if (!this.#options.signal.aborted) await this.#pieces.add(this.#options.path, log.finish());
      await this.#pieces.flush();
    } finally {
      await log.close();
    }
  }

  /** Null when the following ends, or it is not the file of the position. It may be away for a while, but not at the very start. */
  async #openCurrent(from: FollowPosition | null, hasStarted: boolean): Promise<FollowedLog | null> {
    const { path, signal, nextLook } = this.#options;
    while (!signal.aborted) {
      try {
        const log = await FollowedLog.open(path, this.#options, from);
        if (from === null || log.isAt(from)) return log;
        await log.close();
        return null;
      } catch (error) {
        if (!isMissing(error) || !hasStarted) throw error;
        if (from !== null) return null;
      }
      await nextLook(signal);
    }
    return null;
  }

  /** Reads a file as it grows; true once it was renamed and read to its end, false when it was emptied or the following ends. */
  async #readOn(log: FollowedLog): Promise<boolean> {
    const { path, signal, nextLook, nowMs } = this.#options;
    let quietSinceMs: number | null = null;
    for (;;) {
      const hasRead = await this.#readAvailable(log);
      await this.#pieces.flush();
      if (signal.aborted || !(await log.isIntact())) return false;
      const present = await lookAtPath(path);
      if (present?.inode === log.position.file.inode) quietSinceMs = null;
      else if (quietSinceMs === null || hasRead) quietSinceMs = nowMs();
      else if (nowMs() - quietSinceMs >= ROTATION_GRACE_MS) {
        await this.#pieces.add(path, log.finish());
        await this.#pieces.flush();
        return true;
      }
      await nextLook(signal);
      if (signal.aborted) return false;
    }
  }

  /** Whether there was anything. */
  async #readAvailable(log: FollowedLog): Promise<boolean> {
    let hasRead = false;
    while (!this.#options.signal.aborted) {
      const piece = await log.read();
      if (piece === null) break;
      hasRead = true;
      await this.#pieces.add(this.#options.path, piece);
    }
    return hasRead;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof EvenshareError && error.code === 'EVS_INPUT_MISSING';
}
