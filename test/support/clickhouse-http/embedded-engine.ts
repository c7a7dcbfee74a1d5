import { type ChdbResult, Session } from 'chdb';
import { type Exception, engineException, exception } from './exception.ts';
import type { HttpForm } from './http-form.ts';
import { isRead } from './statement-text.ts';

export interface EngineAnswer {
  readonly body: Uint8Array;
  readonly readRows: number;
  readonly readBytes: number;
}

interface NamedSession {
  readonly connection: Session;
  isBusy: boolean;
  expiry: NodeJS.Timeout | null;
}

/**
 * The embedded engine as a server's: each statement has a connection of its own, so that settings, parameters and the
 * database of one never show in another; a named session keeps its connection until it has been idle for its time.
 */
export class EmbeddedEngine {
  readonly #path: string;
  /** Keeps the folder open, and its tables loaded. */
  readonly #home: Session;
  readonly #sessions = new Map<string, NamedSession>();
  readonly #running = new Set<string>();
  #version = '';

  constructor(path: string) {
    this.#path = path;
    this.#home = new Session(path);
  }

  get version(): string {
    return this.#version;
  }

  async start(): Promise<void> {
    this.#version = (await this.#home.queryAsync('SELECT version()', { format: 'TabSeparated' })).text().trim();
  }

  close(): void {
    for (const session of this.#sessions.values()) this.#end(session);
    this.#home.close();
  }

  /** All of the result. @throws Exception */
  async run(sql: string, form: HttpForm): Promise<EngineAnswer> {
    return this.#within(form, async (connection) => {
      const result: ChdbResult = await connection.queryAsync(sql, { format: form.defaultFormat ?? 'TabSeparated' });
      return { body: result.bytes(), readRows: result.rowsRead, readBytes: result.bytesRead };
    });
  }

  /** The result as it comes; rejects with an exception wherever it occurs. Reads only. */
  async stream(sql: string, form: HttpForm, send: (chunk: Uint8Array) => Promise<void>): Promise<void> {
    if (!isRead(sql)) {
      await send((await this.run(sql, form)).body);
      return;
    }
    await this.#within(form, async (connection) => {
      for await (const chunk of connection.queryStream(sql, { format: form.defaultFormat ?? 'TabSeparated' })) {
        await send(chunk.raw());
      }
    });
  }

  async #within<Result>(form: HttpForm, work: (connection: Session) => Promise<Result>): Promise<Result> {
    const { queryId } = form;
    if (queryId !== null && this.#running.has(queryId)) {
      throw exception(216, `Query with id = ${queryId} is already running`);
    }
    if (queryId !== null) this.#running.add(queryId);
    const session = form.session === null ? null : this.#enter(form.session);
    const connection = session?.connection ?? new Session(this.#path);
    try {
      const restore = await this.#prepare(connection, form);
      const result = await work(connection);
      if (session !== null) for (const sql of restore) await connection.queryAsync(sql);
      return result;
    } catch (error) {
      throw asException(error);
    } finally {
      if (queryId !== null) this.#running.delete(queryId);
      if (session === null) connection.close();
      else this.#leave(session, form.session?.timeoutS ?? 60);
    }
  }

  /** Returns what gives a session back its own settings. */
  async #prepare(connection: Session, form: HttpForm): Promise<string[]> {
    if (form.database !== null) await connection.queryAsync(`USE ${name(form.database)}`);
    if (form.role !== null) await connection.queryAsync(`SET ROLE ${name(form.role)}`);
    for (const [key, value] of form.settings) await connection.queryAsync(`SET ${name(key)} = ${literal(value)}`);
    // The value as it stands in the URL: the engine takes it apart as it does a server's.
    for (const [key, value] of form.params) await connection.queryAsync(`SET param_${key} = ${literal(value)}`);
    return [...form.settings.keys()].map((key) => `SET ${name(key)} = DEFAULT`);
  }

  #enter({ id, mustExist }: NonNullable<HttpForm['session']>): NamedSession {
    const known = this.#sessions.get(id);
    if (known === undefined && mustExist) throw exception(372, `Session ${id} not found`);
    if (known?.isBusy === true) throw exception(373, `Session ${id} is locked by a concurrent client`);
    const session = known ?? { connection: new Session(this.#path), isBusy: true, expiry: null };
    session.isBusy = true;
    if (session.expiry !== null) clearTimeout(session.expiry);
    this.#sessions.set(id, session);
    return session;
  }

  #leave(session: NamedSession, timeoutS: number): void {
    session.isBusy = false;
    session.expiry = setTimeout(() => {
      for (const [id, one] of this.#sessions) if (one === session) this.#sessions.delete(id);
      this.#end(session);
    }, timeoutS * 1_000).unref();
  }

  #end({ connection, expiry }: NamedSession): void {
    if (expiry !== null) clearTimeout(expiry);
    connection.close();
  }
}

function asException(error: unknown): Exception {
  const isOwn = typeof error === 'object' && error !== null && 'text' in error && 'code' in error;
  // Seam: what has both is one of ours.
  return isOwn ? (error as Exception) : engineException(error);
}

function name(text: string): string {
  return `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
