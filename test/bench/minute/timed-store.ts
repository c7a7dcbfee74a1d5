import type { BinaryQuery, Lane, Parameters, Query, Settings, Store } from '../../../analytics/storage/index.ts';

export interface StatementTimes {
  readonly statement: string;
  /** What all calls of it took, per run, ms. */
  readonly perRunMs: readonly number[];
}

/** A store that notes how long each statement of a run takes, decoding included. */
export class TimedStore implements Store {
  readonly kind: Store['kind'];
  readonly #inner: Store;
  #runs: Map<string, number>[] = [];

  constructor(inner: Store) {
    this.#inner = inner;
    this.kind = inner.kind;
  }

  /** What follows belongs to another run. */
  startRun(): void {
    this.#runs.push(new Map());
  }

  forget(): void {
    this.#runs = [];
  }

  /** In the order in which they first ran. */
  get statements(): StatementTimes[] {
    const names = new Set(this.#runs.flatMap((run) => [...run.keys()]));
    return [...names].map((statement) => ({
      statement,
      perRunMs: this.#runs.map((run) => run.get(statement) ?? 0),
    }));
  }

  query<Params extends Parameters, Row>(lane: Lane, query: Query<Params, Row>, params: Params): Promise<Row[]> {
    return this.#time(query.name, () => this.#inner.query(lane, query, params));
  }

  queryBinary<Params extends Parameters, Result>(
    lane: Lane,
    query: BinaryQuery<Params, Result>,
    params: Params,
  ): Promise<Result> {
    return this.#time(query.name, () => this.#inner.queryBinary(lane, query, params));
  }

  command(lane: Lane, sql: string, params?: Parameters, settings?: Settings): Promise<void> {
    return this.#time(firstWords(sql), () => this.#inner.command(lane, sql, params, settings));
  }

  insert(lane: Lane, table: string, columns: readonly string[], rows: string, settings?: Settings): Promise<void> {
    return this.#time(`INSERT INTO ${table} (rows)`, () => this.#inner.insert(lane, table, columns, rows, settings));
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #time<Result>(statement: string, run: () => Promise<Result>): Promise<Result> {
    const startMs = performance.now();
    try {
      return await run();
    } finally {
      const times = this.#runs.at(-1);
      times?.set(statement, (times.get(statement) ?? 0) + performance.now() - startMs);
    }
  }
}

/** `INSERT INTO window_rows` of a long statement. */
function firstWords(sql: string): string {
  return sql.replace(/\s+/g, ' ').split(/ SETTINGS| \(| SELECT/)[0] ?? sql;
}
