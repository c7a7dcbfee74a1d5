import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Store } from '../../analytics/index.ts';
import { EvenshareError, type Policy, parsePolicy } from '../../scheduler-core/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { openStore } from '../wire.ts';
import { type StoreFlags, withStoreFlags } from './store-flags.ts';

/** Opens the configured store for one command of `policy`. */
export async function withPolicyStore<Result>(
  given: { readonly program: Command; readonly context: CliContext; readonly flags: StoreFlags },
  use: (store: Store, settings: { readonly windowMs: number }) => Promise<Result>,
): Promise<Result> {
  const { program, context, flags } = given;
  const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), flags);
  const store = await openStore(config, context);
  try {
    return await use(store, config);
  } finally {
    await store.close();
  }
}

export interface PolicyFile {
  readonly text: string;
  readonly policy: Policy;
}

/**
 * A policy file for the store: its text as it is, and what it says to analytics. It is called by the file's own name,
 * without the folder, where it does not name itself.
 *
 * @throws EVS_POLICY for a file that cannot be read, or with every mistake in it.
 */
export async function readPolicyFile(path: string): Promise<PolicyFile> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new EvenshareError('EVS_POLICY', `cannot read the policy "${path}": check FILE`, { cause });
  });
  const text = utf8(bytes, path);
  return { text, policy: parsePolicy(text, { name: basename(path), allowsZeroWeight: true }) };
}

function utf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new EvenshareError('EVS_POLICY', `policy "${path}": is no UTF-8: save it as UTF-8`, { cause });
  }
}

/** The pool that `--pool` names; throws `EVS_USAGE` for an empty name. */
export function poolOption(pool: string): string {
  if (pool !== '') return pool;
  throw new EvenshareError('EVS_USAGE', '--pool must name a pool, as requests do');
}
