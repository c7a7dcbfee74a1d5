import type { BinaryQuery, Lane, Parameters, Query, Settings, Store } from '../../../analytics/storage/index.ts';

export interface StatementTimes {
  readonly statement: string;
  /** What all calls of it took, per run, ms. */
  readonly perRunMs: readonly number[];
}

/** What the job does by itself before a statement, once all earlier ones are answered. */
export const BEFORE = 'before ';

/** A store that notes how long each statement of a run takes, decoding included, and how long the job takes in between. */
export class TimedStore implements Store {
  readonly kind: Store['kind'];
  readonly #inner: Store;
  #runs: Map<string, number>[] = [];
  #underWay = 0;
  #idleSinceMs = performance.now();

  constructor(inner: Store) {
    this.#inner = inner;
    this.kind = inner.kind;
  }

  /** What follows belongs to another run. */
  startRun(): void {
    this.#runs.push(new Map());
    this.#idleSinceMs = performance.now();
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

  #note(what: string, tookMs: number): void {
    const times = this.#runs.at(-1);
    times?.set(what, (times.get(what) ?? 0) + tookMs);
  }

  async #time<Result>(statement: string, run: () => Promise<Result>): Promise<Result> {
    const startMs = performance.now();
    if (this.#underWay++ === 0) this.#note(`${BEFORE}${statement}`, startMs - this.#idleSinceMs);
    try {
      return await run();
    } finally {
      this.#underWay--;
      this.#idleSinceMs = performance.now();
      this.#note(statement, this.#idleSinceMs - startMs);
    }
  }
}

/** `INSERT INTO window_rows` of a long statement. */
function firstWords(sql: string): string {
  return sql.replace(/\s+/g, ' ').split(/ SETTINGS| \(| SELECT/)[0] ?? sql;
}
