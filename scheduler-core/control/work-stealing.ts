/**
 * From whom an idle worker steals: the longest queue, ties to the first; null when no other worker has anything waiting.
 *
 * @param waitingPerWorker requests that wait at each worker, ≥ 0; @param thief the index of the idle one.
 */
export function chooseVictim(waitingPerWorker: readonly number[], thief: number): number | null {
  let victim: number | null = null;
  let longest = 0;
  for (const [worker, waiting] of waitingPerWorker.entries()) {
    if (worker === thief || waiting <= longest) continue;
    victim = worker;
    longest = waiting;
  }
  return victim;
}
