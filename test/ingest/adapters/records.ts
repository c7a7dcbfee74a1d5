import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type AdapterOptions, eachOutcome, findAdapter, type RawRecord } from '../../../ingest/adapters/index.ts';
import type { DecisionEvent, RecordOutcome } from '../../../ingest/event/decision-event.ts';
import { readRecords } from '../../../ingest/sources/file-source.ts';
import type { TestPart } from '../../support/require-part.ts';

export const OPTIONS: AdapterOptions = { defaultPool: 'default', tenant: null, options: {}, mapping: null };

/** A file of the shared public traces. */
export function sharedTrace(path: string): TestPart {
  const file = fileURLToPath(new URL(`../../../../shared/data/${path}`, import.meta.url));
  return {
    name: `the trace ${path}`,
    find: () => (existsSync(file) ? file : null),
    remedy: 'put the shared traces at ../shared/data',
  };
}

/** The rows of a gzipped CSV, cut by hand: what the adapters are held against. */
export function plainRows(path: string): string[][] {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
  return lines.slice(1).map((line) => line.split(','));
}

/** One record through an adapter that was just opened. */
export function readOne(
  format: string,
  record: Partial<RawRecord>,
  options: Partial<AdapterOptions> = {},
): RecordOutcome {
  const [outcome, ...others] = readSeveral(format, record, options);
  if (outcome === undefined || others.length > 0) throw new Error(`one outcome is wanted, not ${others.length + 1}`);
  return outcome;
}

/** All that one record holds, through an adapter that was just opened. */
export function readSeveral(
  format: string,
  record: Partial<RawRecord>,
  options: Partial<AdapterOptions> = {},
): readonly RecordOutcome[] {
  const read = findAdapter(format).open({ ...OPTIONS, ...options });
  return eachOutcome(read({ text: '', fields: null, line: 1, ...record }));
}

/** A whole file through framing and adapter; refused records count as rejections. */
export async function readAll(
  format: string,
  path: string,
  options: Partial<AdapterOptions> = {},
): Promise<readonly RecordOutcome[]> {
  const adapter = findAdapter(format);
  const all = { ...OPTIONS, ...options };
  const read = adapter.open(all);
  const outcomes: RecordOutcome[] = [];
  const onHeader = (columns: readonly string[]): void => adapter.checkHeader?.(columns, all);
  const csvDelimiter = adapter.csvDelimiter?.(all) ?? ',';
  for await (const batch of readRecords({ path, stdin: null, framing: adapter.framing, csvDelimiter, onHeader })) {
    for (const item of batch) {
      if (item.kind === 'record') outcomes.push(...eachOutcome(read(item.record)));
      else outcomes.push({ kind: 'rejected', code: item.code, detail: item.detail });
    }
  }
  return outcomes;
}

export function decisionsOf(outcomes: readonly RecordOutcome[]): readonly DecisionEvent[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'decision' ? [outcome.event] : []));
}
