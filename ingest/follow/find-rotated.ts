import { open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { magicName } from '../sources/decompress.ts';
import { beginsAs, type FileLook, lookAt } from './file-identity.ts';
import type { FollowPosition } from './follow-position.ts';

export interface RotatedFile {
  readonly path: string;
  readonly look: FileLook;
}

/** More than any rotation keeps. */
const MAX_LOOKED_AT = 1_000;

/**
 * The files beside a log that its rotation may have made of it (`access.log.1`, `access.log-20261101`, `access-1.log`),
 * oldest first. Packed ones are left out: they cannot be told by their first bytes.
 */
export async function rotatedFiles(path: string): Promise<RotatedFile[]> {
  const folder = dirname(path);
  const name = basename(path);
  const stem = name.includes('.', 1) ? name.slice(0, name.lastIndexOf('.')) : name;
  const names = (await readdir(folder)).filter((other) => other !== name && other.startsWith(stem)).sort();
  const found: RotatedFile[] = [];
  for (const other of names.slice(0, MAX_LOOKED_AT)) {
    const look = await lookAtPath(join(folder, other));
    if (look !== null && magicName(look.head) === null) found.push({ path: join(folder, other), look });
  }
  return found.sort((a, b) => a.look.modifiedMs - b.look.modifiedMs || (a.path < b.path ? -1 : 1));
}

/** Null when there is no readable file. */
export async function lookAtPath(path: string): Promise<FileLook | null> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return null;
  try {
    return (await file.stat()).isFile() ? await lookAt(file) : null;
  } finally {
    await file.close();
  }
}

/** What rotation has left of the time since a position. */
export interface LeftByRotation {
  /** The file that was read up to the position, or a copy of it; null: there is none. */
  readonly read: RotatedFile | null;
  /** What came after it, oldest first; it may hold one too many, which does no harm. */
  readonly newer: readonly RotatedFile[];
}

/**
 * Finds, among files oldest first, those that were written to or made since a position; of these the one that was read up
 * to it: by its number, else the oldest that begins as it did (copytruncate leaves a copy).
 */
export function findLeft(files: readonly RotatedFile[], { file, offsetBytes }: FollowPosition): LeftByRotation {
  const since = files.filter(({ look }) => Math.max(look.modifiedMs, look.bornMs) >= file.writtenMs);
  const candidates = since.filter(({ look }) => look.sizeBytes >= offsetBytes && beginsAs(look, file));
  const read = candidates.find(({ look }) => look.inode === file.inode) ?? candidates[0] ?? null;
  return { read, newer: since.filter((each) => each !== read) };
}
