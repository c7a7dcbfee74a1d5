import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import { formatTable, printJson } from '../output.ts';

/** What was computed of a pool. */
export interface Analyzed {
  readonly pool: string;
  readonly from: string;
  readonly to: string;
  readonly windows: number;
  readonly written: number;
  readonly expired: number;
}

/** Prints what was done, and throws `EVS_RANGE_EXPIRED` where a part could not be. */
export function printAnalyzed(context: CliContext, results: readonly Analyzed[], json: boolean): void {
  if (json) printJson(context, { pools: results });
  else if (results.length === 0) context.stdout.write('nothing was left unfinished\n');
  else context.stdout.write(describe(results));
  refuseExpired(results);
}

/** Told after what was done: the windows that could be computed are. */
function refuseExpired(results: readonly Analyzed[]): void {
  const [first] = results.filter(({ expired }) => expired > 0);
  if (first === undefined) return;
  throw new EvenshareError(
    'EVS_RANGE_EXPIRED',
    `${first.expired} windows of ${JSON.stringify(first.pool)} keep their earlier figures: requests of theirs are older than retention.requests_days; choose a later --from`,
  );
}

function describe(results: readonly Analyzed[]): string {
  return formatTable(results, [
    { title: 'pool', value: (row) => row.pool },
    { title: 'from', value: (row) => row.from },
    { title: 'to', value: (row) => row.to },
    { title: 'windows', value: (row) => String(row.windows), align: 'right' },
    { title: 'changed', value: (row) => String(row.written), align: 'right' },
  ]);
}
