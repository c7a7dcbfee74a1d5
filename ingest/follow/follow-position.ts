import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { isJsonObject } from '../event/json-object.ts';
import type { FileIdentity } from './file-identity.ts';

/** Up to where a file is stored: always the start of a record. */
export interface FollowPosition {
  readonly file: FileIdentity;
  readonly offsetBytes: number;
  /** Number of the line that begins there, from 1. */
  readonly line: number;
  /** The header row of a CSV file, once it has been read. */
  readonly header: string | null;
}

/** Where the position is kept between runs. */
export interface PositionStore {
  /** null: there is none yet. @throws EVS_INPUT_UNREADABLE when what is there is no position. */
  read(): Promise<FollowPosition | null>;
  /** Durable when it resolves; a crash leaves either the old or the new one. */
  write(position: FollowPosition): Promise<void>;
}

/**
 * Keeps the position in a small file: written beside, flushed to the disk, then renamed into place.
 *
 * A file and not a table: a position belongs to a file on one machine, and it is written after each batch, which would make
 * a part of the store each time. It may be lost or old: what is read again is stored once all the same.
 */
export function positionFile(path: string): PositionStore {
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch((cause: unknown) => {
        if (codeOf(cause) === 'ENOENT') return null;
        throw unusable(path, `cannot be read (${codeOf(cause)})`, cause);
      });
      if (text === null) return null;
      const position = parsePosition(text);
      if (position === null) throw unusable(path, 'is damaged', undefined);
      return position;
    },
    async write(position) {
      const beside = `${path}.${randomUUID()}`;
      try {
        await mkdir(dirname(path), { recursive: true });
        const file = await open(beside, 'wx');
        try {
          await file.writeFile(`${JSON.stringify({ version: 1, ...position })}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(beside, path);
      } catch (cause) {
        await rm(beside, { force: true });
        throw unusable(path, `cannot be written (${codeOf(cause)})`, cause);
      }
    },
  };
}

function unusable(path: string, what: string, cause: unknown): EvenshareError {
  const message = `the position file ${JSON.stringify(path)} ${what}: mend or remove it; without it the log is read from its start, and what is stored already stays as it is`;
  return new EvenshareError('EVS_INPUT_UNREADABLE', message, { cause });
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
}

/** Null when the text is no position. */
export function parsePosition(text: string): FollowPosition | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value) || value.version !== 1 || !isJsonObject(value.file)) return null;
  const { offsetBytes, line, header } = value;
  const { inode, headBytes, headDigest, isVague, writtenMs } = value.file;
  if (!isCount(offsetBytes) || !isCount(line) || line < 1) return null;
  if (header !== null && typeof header !== 'string') return null;
  if (typeof inode !== 'string' || !isCount(headBytes) || typeof headDigest !== 'string') return null;
  if (typeof isVague !== 'boolean' || typeof writtenMs !== 'number') return null;
  return { file: { inode, headBytes, headDigest, isVague, writtenMs }, offsetBytes, line, header };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
