import type { Backfill } from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { type BackfillClient, openBackfillClient } from '../backfill-client.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { startProgress } from '../progress.ts';
import { type Analyzed, printAnalyzed } from './analyzed.ts';

export interface AnalyzeViaRequest {
  /** Address of the process, as it was given. */
  readonly via: string;
  readonly pool: string | undefined;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly json: boolean;
}

const POLL_EVERY_MS = 500;

/** Has a running process compute the range, and watches it until it is done. */
export async function analyzeVia(context: CliContext, config: Config, request: AnalyzeViaRequest): Promise<void> {
  const client = openBackfillClient(context, config, request.via);
  const asked = await client.ask({
    ...(request.pool === undefined ? {} : { pool: request.pool }),
    ...(request.fromMs === null ? {} : { from: new Date(request.fromMs).toISOString() }),
    ...(request.toMs === null ? {} : { to: new Date(request.toMs).toISOString() }),
  });
  const [first] = asked;
  const what = asked.length === 1 ? (first?.pool ?? '') : `${asked.length} pools`;
  const progress = startProgress(context, `windows of ${what}`);
  const ended = await follow(context, client, asked, progress.update)
    .catch((error: unknown) => {
      if (context.signal.aborted)
        context.stderr.write(`${request.via} goes on with the backfill; the same command shows how far it is\n`);
      throw error;
    })
    .finally(progress.stop);
  printAnalyzed(context, ended.filter(({ state }) => state === 'done').map(toAnalyzed), request.json);
  const failed = ended.find(({ state }) => state === 'failed');
  if (failed === undefined) return;
  const where = `the backfill of pool ${JSON.stringify(failed.pool)} failed after ${failed.done_to}`;
  throw new EvenshareError('EVS_STORE_FAILED', `${where}: ${failed.failure}`);
}

/** Asks until each is done or has failed. */
async function follow(
  context: CliContext,
  client: BackfillClient,
  asked: readonly Backfill[],
  onProgress: (done: number, total: number) => void,
): Promise<Backfill[]> {
  for (;;) {
    const listed = await client.list();
    const current = asked.map((one) => sameOf(listed, one));
    onProgress(
      current.reduce((sum, { done_ratio }) => sum + done_ratio, 0),
      current.length,
    );
    if (current.every(({ state }) => state === 'done' || state === 'failed')) return current;
    await context.clock.sleep(POLL_EVERY_MS, context.signal);
    context.signal.throwIfAborted();
  }
}

function sameOf(listed: readonly Backfill[], one: Backfill): Backfill {
  const found = listed.find(({ pool, from, to }) => pool === one.pool && from === one.from && to === one.to);
  if (found !== undefined) return found;
  throw new EvenshareError(
    'EVS_BUSY',
    `another range of pool ${JSON.stringify(one.pool)} has taken the place of this one`,
  );
}

function toAnalyzed({ pool, from, to, windows, written, expired }: Backfill): Analyzed {
  return { pool, from, to, windows, written, expired };
}
