import type { FaultsResult } from './run-faults.ts';

export function isFaultless({ lost, double, wrong }: FaultsResult): boolean {
  return lost === 0 && double === 0 && wrong === 0;
}

/** What people read at the end. */
export function resultLines(result: FaultsResult, seed: number): string[] {
  const faults = [...result.faults].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, times]) => `${kind} ${times}`);
  const ends = new Map<string, number>();
  for (const words of result.ownEnds) {
    const why = /\[(EVS_[A-Z_]+)\]/.exec(words)?.[1] ?? words.slice(-120);
    ends.set(why, (ends.get(why) ?? 0) + 1);
  }
  const row = (name: string, count: number, note = ''): string =>
    `${name.padEnd(24)}${String(count).padStart(10)}  ${note}`;
  return [
    '',
    row('produced (requests)', result.produced, `in ${result.messages} acknowledged messages`),
    row('in store', result.stored, `of ${result.expectedStored}`),
    row('dead letters', result.letters, `of ${result.expectedLetters}`),
    row('lost', result.lost),
    row('double', result.double),
    row('wrong', result.wrong, 'other figures than were sent'),
    row('kill -9 of ingest', result.kills),
    '',
    `faults: ${faults.join(', ')}`,
    ...result.means,
    `processes that ended by themselves and were started again: ${[...ends].map(([why, n]) => `${n} × ${why}`).join(', ') || 'none'}`,
    ...result.samples,
    `seed ${seed}: ${isFaultless(result) ? '0 lost, 0 double' : 'FAILED'}`,
  ];
}
