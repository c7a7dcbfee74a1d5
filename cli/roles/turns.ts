export interface Turns {
  /** Runs the work after all that asked before it has ended, well or badly. */
  readonly take: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** One at a time, in the order of asking: who takes many turns after one another lets everybody else in between. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take: (work) => {
      const mine = last.then(work);
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}
