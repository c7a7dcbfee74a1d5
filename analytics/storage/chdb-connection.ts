import type { ClickHouseClientConfigOptions } from '@clickhouse/client';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';

export type ConnectionOption = NonNullable<ClickHouseClientConfigOptions['connection']>;

/**
 * Opens a connection to the embedded engine on a data folder. The package is optional (540 MB) and loaded only here.
 *
 * @throws EVS_STORE_ABSENT when the package is not installed; whatever the engine throws when it refuses the folder.
 */
export async function openChdbConnection(path: string): Promise<ConnectionOption> {
  const { createChdbConnection } = await importChdb();
  // Seam: the two packages declare the same contract in types of their own; the conformance suite checks the behaviour.
  return createChdbConnection({ path }) as unknown as ConnectionOption;
}

async function importChdb(): Promise<typeof import('chdb/connection')> {
  try {
    return await import('chdb/connection');
  } catch (cause) {
    throw new EvenshareError(
      'EVS_STORE_ABSENT',
      'the embedded store needs the optional package "chdb", which is not installed here: run "npm install" on a platform it supports (Linux glibc or macOS), or set store.kind to "server"',
      { cause },
    );
  }
}
