import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openClickHouse } from '../../../analytics/storage/index.ts';
import { mapStoreError } from '../../../analytics/storage/store-error.ts';
import { EvenshareError } from '../../../scheduler-core/index.ts';

const failure = (code: string): Error =>
  Object.assign(new Error('INSERT INTO t (secret) (SECRET)'), { code, type: 'SECRET' });

describe('failures of the store by code', () => {
  it.each([
    ['243', 'EVS_STORE_FULL', true, 'no space on the disk'],
    ['75', 'EVS_STORE_FULL', true, 'a file cannot be written'],
    ['ENOSPC', 'EVS_STORE_FULL', true, 'the system has no space'],
    ['516', 'EVS_STORE_UNREACHABLE', false, 'wrong password'],
    ['497', 'EVS_STORE_UNREACHABLE', false, 'no grant'],
    ['ECONNREFUSED', 'EVS_STORE_UNREACHABLE', true, 'nobody listens'],
    ['ECONNRESET', 'EVS_STORE_UNREACHABLE', true, 'the peer went away'],
    ['ENOTFOUND', 'EVS_STORE_UNREACHABLE', true, 'no such host'],
    ['202', 'EVS_STORE_UNREACHABLE', true, 'too many queries'],
    ['241', 'EVS_STORE_UNREACHABLE', true, 'out of memory'],
    ['252', 'EVS_STORE_UNREACHABLE', true, 'too many parts'],
    ['60', 'EVS_STORE_SCHEMA', false, 'no such table'],
    ['81', 'EVS_STORE_SCHEMA', false, 'no such database'],
    ['16', 'EVS_STORE_SCHEMA', false, 'no such column'],
    ['27', 'EVS_STORE_FAILED', false, 'a row that does not parse'],
  ])('%s is %s, retryable %s (%s)', (code, expected, retryable) => {
    const mapped = mapStoreError(failure(code));
    expect(mapped).toMatchObject({ code: expected, retryable });
    expect(mapped.message).toContain(code);
    expect(mapped.message, 'nothing of the statement').not.toMatch(/secret/i);
    expect(mapped.cause).toBeInstanceOf(Error);
  });

  it('finds the code below other errors, and does without one', () => {
    const wrapped = new Error('outer', { cause: new Error('middle', { cause: failure('ECONNREFUSED') }) });
    expect(mapStoreError(wrapped).code).toBe('EVS_STORE_UNREACHABLE');
    expect(mapStoreError('a text')).toMatchObject({ code: 'EVS_STORE_FAILED', retryable: false });
  });

  it('leaves an error of ours as it is', () => {
    const own = new EvenshareError('EVS_BUSY', 'busy');
    expect(mapStoreError(own)).toBe(own);
  });
});

describe('opening a server', () => {
  let server: Server;
  let answer: { status: number; headers: Record<string, string>; body: string };
  let url: string;
  let printed: unknown[][];
  beforeEach(async () => {
    printed = [];
    for (const method of ['debug', 'info', 'warn', 'error'] as const) {
      vi.spyOn(console, method).mockImplementation((...words) => void printed.push(words));
    }
    server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(answer.status, answer.headers).end(answer.body));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await new Promise((closed) => server.close(closed));
    expect(printed, 'the client says nothing of its own').toEqual([]);
  });

  const open = (): Promise<unknown> =>
    openClickHouse({ kind: 'server', url, username: 'me', password: 'pass-word', database: 'd' }).catch(
      (error: unknown) => error,
    );

  it('tells wrong credentials, and says none of them', async () => {
    answer = {
      status: 403,
      headers: { 'X-ClickHouse-Exception-Code': '516' },
      body: 'Code: 516. DB::Exception: me: Authentication failed. (AUTHENTICATION_FAILED)',
    };
    const failed = await open();
    expect(failed).toMatchObject({ code: 'EVS_STORE_UNREACHABLE', retryable: false });
    expect(String(failed)).toContain('store.password');
    expect(String(failed)).not.toContain('pass-word');
    expect(String(failed)).not.toContain(url);
  });

  it('tells a missing database', async () => {
    answer = {
      status: 404,
      headers: {},
      body: 'Code: 81. DB::Exception: Database d does not exist. (UNKNOWN_DATABASE)',
    };
    expect(await open()).toMatchObject({ code: 'EVS_STORE_SCHEMA' });
  });

  it('tells a server that is not one, without its page', async () => {
    answer = { status: 502, headers: {}, body: '<html>Bad Gateway of nobody</html>' };
    const failed = await open();
    expect(failed).toMatchObject({ code: expect.stringMatching(/^EVS_STORE_/) });
    expect(String(failed)).not.toContain('html');
  });

  it('tells that nobody listens', async () => {
    await new Promise((closed) => server.close(closed));
    expect(await open()).toMatchObject({ code: 'EVS_STORE_UNREACHABLE', retryable: true });
    server.listen(0, '127.0.0.1');
  });
});

describe('opening a folder that cannot be used', () => {
  let path: string;
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
  });
  afterEach(() => rm(path, { recursive: true, force: true }));

  it.each([
    ['file', 'a file in its place'],
    ['file/db', 'a file in its way'],
  ])('is no lock: %s (%s)', async (name) => {
    await writeFile(join(path, 'file'), 'x');
    const failed: unknown = await openClickHouse({ kind: 'embedded', path: join(path, name) }).catch((e: unknown) => e);
    expect(failed).toMatchObject({ code: 'EVS_STORE_FAILED' });
    expect(String(failed)).toContain('--data-dir');
  });
});
