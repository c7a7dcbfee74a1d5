import type { Store } from '../../analytics/storage/index.ts';

/** A store that does as another one, but for the methods that are given. */
export function storeWith(store: Store, changed: Partial<Store>): Store {
  return {
    kind: store.kind,
    query: (lane, query, params) => store.query(lane, query, params),
    queryBinary: (lane, query, params) => store.queryBinary(lane, query, params),
    command: (lane, sql, params, settings) => store.command(lane, sql, params, settings),
    insert: (lane, table, columns, rows, settings) => store.insert(lane, table, columns, rows, settings),
    close: () => store.close(),
    ...changed,
  };
}

export interface InsertGate {
  readonly store: Store;
  /** Tables that were inserted into, in order; an insert of nothing is none. */
  readonly inserts: string[];
  /** Resolves once an insert waits. */
  readonly someWaits: () => Promise<void>;
  /** Makes inserts wait from now on. */
  readonly hold: () => void;
  /** Lets those that wait go on, and later ones through. */
  readonly release: () => void;
  /** Makes the next insert into a table fail, once. */
  readonly failNext: (table: string, error: Error) => void;
}

/** A store whose inserts a test can watch, hold up and let fail. */
export function insertGate(store: Store): InsertGate {
  const inserts: string[] = [];
  const failures = new Map<string, Error>();
  let held: Promise<void> = Promise.resolve();
  let letGo = (): void => {};
  let tellWaiting = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    tellWaiting = resolve;
  });
  return {
    inserts,
    someWaits: () => waiting,
    hold: () => {
      held = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    release: () => letGo(),
    failNext: (table, error) => void failures.set(table, error),
    store: storeWith(store, {
      insert: async (lane, table, columns, rows, settings) => {
        if (rows === '') return;
        tellWaiting();
        await held;
        inserts.push(table);
        const failure = failures.get(table);
        failures.delete(table);
        if (failure !== undefined) throw failure;
        await store.insert(lane, table, columns, rows, settings);
      },
    }),
  };
}
