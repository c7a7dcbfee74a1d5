import type { Command } from 'commander';
import type { Config } from '../load-config.ts';

/** Flags of commands that use the configured store. */
export interface StoreFlags {
  readonly dataDir?: string;
}

export function addStoreOptions(command: Command): Command {
  return command.option('--data-dir <folder>', 'folder of the embedded store');
}

/** The configuration with what the command line says instead of it. */
export function withStoreFlags(config: Config, flags: StoreFlags): Config {
  if (flags.dataDir === undefined) return config;
  return { ...config, store: { kind: 'embedded', path: flags.dataDir } };
}
