import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** How much of a file's beginning tells it from others: the first line or two, with a time and an id. */
export const HEAD_BYTES = 1_024;
const NEWLINE = 0x0a;

/**
 * Which file it is, whatever it is called now. The number of a file is given out again once the file is gone, and a file that
 * is emptied keeps it: so the first bytes count as well.
 */
export interface FileIdentity {
  /** Device and number of the file, as text. */
  readonly inode: string;
  /** How many of its first bytes are known; at most `HEAD_BYTES`. */
  readonly headBytes: number;
  /** A digest of them. */
  readonly headDigest: string;
  /** Its first line is not whole yet: files that begin alike cannot be told apart. */
  readonly isVague: boolean;
  /** When it had last been written to when it was looked at, epoch ms: what was not read was written then or later. */
  readonly writtenMs: number;
}

/** A file as it is at the moment. */
export interface FileLook {
  readonly inode: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** When the file was made; where the file system does not tell, when it was last changed in any way. */
  readonly bornMs: number;
  readonly head: Buffer;
}

export async function lookAt(file: FileHandle): Promise<FileLook> {
  const stats = await file.stat({ bigint: true });
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  return {
    inode: `${stats.dev}:${stats.ino}`,
    sizeBytes: Number(stats.size),
    modifiedMs: Number(stats.mtimeNs) / 1e6,
    bornMs: Number(stats.birthtimeNs === 0n ? stats.ctimeNs : stats.birthtimeNs) / 1e6,
    head: head.subarray(0, bytesRead),
  };
}

export function identityOf({ inode, head, modifiedMs }: FileLook): FileIdentity {
  const isVague = head.length < HEAD_BYTES && !head.includes(NEWLINE);
  return { inode, headBytes: head.length, headDigest: digestOf(head), isVague, writtenMs: modifiedMs };
}

/** Whether the file begins as the known one did. */
export function beginsAs({ head }: Pick<FileLook, 'head'>, known: FileIdentity): boolean {
  return head.length >= known.headBytes && digestOf(head.subarray(0, known.headBytes)) === known.headDigest;
}

/**
 * Whether it is the known file, grown or not, and not one that took its place or was emptied since. Of one that was vague
 * that is sure only while nothing was done to it: it may have been copied, emptied and begun again.
 */
export function isSameFile(look: FileLook, known: FileIdentity, readBytes: number): boolean {
  if (look.inode !== known.inode || look.sizeBytes < readBytes || !beginsAs(look, known)) return false;
  return !known.isVague || look.modifiedMs === known.writtenMs;
}

function digestOf(head: Buffer): string {
  return createHash('sha256').update(head).digest('hex').slice(0, 32);
}
