import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClickHouseClient, ClickHouseLogLevel, createClient, type ExecParams } from '@clickhouse/client';
import { assertInvariant, EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { openChdbConnection } from './chdb-connection.ts';
import { RowReader } from './row-reader.ts';
import { checkAnswer, readAnswer, readWholeAnswer } from './server-answer.ts';
import {
  type BinaryQuery,
  INSERT_SETTINGS,
  type Parameters,
  type Query,
  READ_SETTINGS,
  type Settings,
  settingsClause,
} from './statement.ts';
import { mapStoreError } from './store-error.ts';

export type StoreOptions =
  | { readonly kind: 'embedded'; readonly path: string }
  | {
      readonly kind: 'server';
      readonly url: string;
      readonly username: string;
      readonly password: string;
      readonly database: string;
      /** The cluster over which the tables are spread (cluster-form.ts). Absent: plain tables of this server. */
      readonly cluster?: string;
      /** A statement without an answer for so long has failed. Default 120 s. */
      readonly requestTimeoutMs?: number;
    };

const REQUEST_TIMEOUT_MS = 120_000;
/** How long a change of tables waits for all servers of a cluster: it must end before the request does. */
const CLUSTER_CHANGE_TIMEOUT_S = '100';

/**
 * Who speaks: each lane has a connection of its own, because one connection runs its statements one after another and a
 * minute job must not hold up the intake or a page.
 */
export const LANES = ['intake', 'jobs', 'reads'] as const;
export type Lane = (typeof LANES)[number];

/** The one door to ClickHouse, embedded or server. Every failure is an `EvenshareError` with an `EVS_STORE_…` code. */
export interface Store {
  readonly kind: StoreOptions['kind'];
  /** The cluster over which its tables are spread; absent: they are plain ones. */
  readonly cluster?: string;
  /** Runs one read and returns its rows, decoded. */
  query<Params extends Parameters, Row>(lane: Lane, query: Query<Params, Row>, params: Params): Promise<Row[]>;
  /** Runs one read of many numbers; see `BinaryQuery`. */
  queryBinary<Params extends Parameters, Result>(
    lane: Lane,
    query: BinaryQuery<Params, Result>,
    params: Params,
  ): Promise<Result>;
  /** Runs a statement without rows; placeholders in it are filled from `params`. */
  command(lane: Lane, sql: string, params?: Parameters, settings?: Settings): Promise<void>;
  /**
   * Inserts rows in one block. `rows` is TabSeparated text, each row ended by a newline (see rows.ts); nothing happens
   * for empty text. The last column must be a number or a word. Durable in the engine's sense when it returns.
   */
  insert(lane: Lane, table: string, columns: readonly string[], rows: string, settings?: Settings): Promise<void>;
  /** Waits for statements under way, then closes. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a store.
 *
 * @throws EVS_STORE_LOCKED (another process holds the folder), EVS_STORE_ABSENT, EVS_STORE_UNREACHABLE, EVS_STORE_FAILED.
 */
export async function openClickHouse(options: StoreOptions): Promise<Store> {
  const clients = options.kind === 'embedded' ? await openEmbedded(options.path) : openServer(options);
  const store = new ClientStore(options, clients);
  if (options.kind === 'server') {
    await store.command('reads', 'SELECT 1').catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
  }
  return store;
}

type Clients = Readonly<Record<Lane, ClickHouseClient>>;

/** The client would print warnings, statements and the store's address beside our own words: errors are told once, by us. */
const SILENT = { log: { level: ClickHouseLogLevel.OFF } };

/** Names the process that holds a data folder. The engine's own lock is what excludes; this only tells who has it. */
const HOLDER_FILE = 'evenshare.pid';

async function openEmbedded(path: string): Promise<Clients> {
  try {
    await mkdir(path, { recursive: true });
    const clients = {
      intake: createClient({ ...SILENT, connection: await openChdbConnection(path) }),
      jobs: createClient({ ...SILENT, connection: await openChdbConnection(path) }),
      reads: createClient({ ...SILENT, connection: await openChdbConnection(path) }),
    };
    await writeFile(join(path, HOLDER_FILE), `${process.pid}\n`);
    return clients;
  } catch (error) {
    throw await embeddedOpenError(path, error);
  }
}

async function embeddedOpenError(path: string, error: unknown): Promise<Error> {
  if (error instanceof EvenshareError) return error;
  const code = errorCode(error);
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM' || code === 'ENOTDIR' || code === 'EEXIST') {
    return new EvenshareError(
      'EVS_STORE_FAILED',
      `cannot use "${path}" as data folder (${code}): choose a folder that this user may write with --data-dir`,
      { cause: error },
    );
  }
  if (code === 'ENOSPC') return mapStoreError(error);
  const holder = await readFile(join(path, HOLDER_FILE), 'utf8').then(
    (text) => ` (process ${text.trim()})`,
    () => '',
  );
  return new EvenshareError(
    'EVS_STORE_LOCKED',
    `the data folder "${path}" is held by another Evenshare process${holder}: stop that one, or choose another folder with --data-dir`,
    { cause: error },
  );
}

function openServer(options: Extract<StoreOptions, { kind: 'server' }>): Clients {
  const open = (lane: Lane): ClickHouseClient =>
    createClient({
      ...SILENT,
      url: options.url,
      username: options.username,
      password: options.password,
      database: options.database,
      application: `evenshare-${lane}`,
      request_timeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      compression: { request: true, response: true },
      // Under the server's own keep-alive (10 s; ClickHouse Cloud 3 s), else a socket is used as it closes.
      keep_alive: { enabled: true, idle_socket_ttl: 800 },
      // Else a failure late in a result would come with a status of success, in the middle of the rows. Part of the
      // address, not of a session: it outlives no statement.
      clickhouse_settings: {
        wait_end_of_query: 1,
        ...(options.cluster === undefined
          ? {}
          : { distributed_ddl_task_timeout: CLUSTER_CHANGE_TIMEOUT_S, distributed_ddl_output_mode: 'none' }),
      },
      // A batch's ids would make an address longer than servers and proxies take.
      use_multipart_params_auto: true,
      // Temporary tables of the job live in its session.
      ...(lane === 'jobs' ? { session_id: crypto.randomUUID() } : {}),
    });
  return { intake: open('intake'), jobs: open('jobs'), reads: open('reads') };
}

class ClientStore implements Store {
  readonly kind: StoreOptions['kind'];
  readonly cluster?: string;
  readonly #clients: Clients;
  readonly #path: string | null;
  #closing: Promise<void> | null = null;
  /** A server runs one statement at a time in a session, and the job's temporary tables live in one. */
  #lastJob: Promise<unknown> = Promise.resolve();

  constructor(options: StoreOptions, clients: Clients) {
    this.kind = options.kind;
    if (options.kind === 'server' && options.cluster !== undefined) this.cluster = options.cluster;
    this.#clients = clients;
    this.#path = options.kind === 'embedded' ? options.path : null;
  }

  async query<Params extends Parameters, Row>(lane: Lane, query: Query<Params, Row>, params: Params): Promise<Row[]> {
    const rows = await this.#run(lane, async () => {
      const result = await this.#clients[lane].query({
        query: `${query.sql}${settingsClause(READ_SETTINGS)}`,
        query_params: { ...params },
        format: 'JSONEachRow',
      });
      if (this.kind === 'server') checkAnswer('', result.response_headers);
      return result.json<Record<string, unknown>>();
    });
    return rows.map(query.decode);
  }

  async queryBinary<Params extends Parameters, Result>(
    lane: Lane,
    query: BinaryQuery<Params, Result>,
    params: Params,
  ): Promise<Result> {
    const bytes = await this.#run(lane, async () => {
      const { stream, response_headers } = await this.#clients[lane].exec({
        query: `${query.sql}${settingsClause(READ_SETTINGS)} FORMAT RowBinary`,
        query_params: { ...params },
      });
      const answer = await readWholeAnswer(stream);
      if (this.kind === 'server') checkAnswer('', response_headers ?? {});
      return answer;
    });
    return query.read(new RowReader(bytes));
  }

  async command(lane: Lane, sql: string, params: Parameters = {}, settings: Settings = {}): Promise<void> {
    await this.#run(lane, () =>
      this.#execute(lane, {
        query: `${sql}${settingsClause(settings)}`,
        ...(Object.keys(params).length === 0 ? {} : { query_params: { ...params } }),
      }),
    );
  }

  async insert(
    lane: Lane,
    table: string,
    columns: readonly string[],
    rows: string,
    settings: Settings = {},
  ): Promise<void> {
    if (rows === '') return;
    // The embedded engine trims the end of a statement: a last cell that is blank or ends in ";" would be cut.
    assertInvariant(/[0-9A-Za-z]\n$/.test(rows.slice(-2)), `the last column of ${table} must be a number or a word`);
    const clause = settingsClause({ ...INSERT_SETTINGS, ...settings });
    await this.#run(lane, () =>
      this.#execute(lane, {
        query: `INSERT INTO ${table} (${columns.join(', ')})${clause} FORMAT TabSeparated\n${rows}`,
      }),
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(LANES.map((lane) => this.#clients[lane].close()));
    if (this.#path !== null) await rm(join(this.#path, HOLDER_FILE), { force: true });
  }

  /** Done when the answer has come to its end and says nothing of a failure. */
  async #execute(lane: Lane, statement: ExecParams): Promise<void> {
    const { stream, response_headers } = await this.#clients[lane].exec(statement);
    const answer = await readAnswer(stream);
    if (this.kind === 'server') checkAnswer(answer, response_headers ?? {});
  }

  #run<Result>(lane: Lane, statement: () => Promise<Result>): Promise<Result> {
    if (lane !== 'jobs') return this.#guarded(statement);
    const result = this.#lastJob.then(() => this.#guarded(statement));
    this.#lastJob = result.catch(() => undefined);
    return result;
  }

  async #guarded<Result>(statement: () => Promise<Result>): Promise<Result> {
    try {
      return await statement();
    } catch (error) {
      throw mapStoreError(error, this.kind);
    }
  }
}

function errorCode(error: unknown): string | null {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return null;
}
