import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReceiver } from './receiver.ts';

// The door as its users find it: the built package, from a folder of theirs.

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenshare-emit-'));
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/evenshare'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const program = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

describe('evenshare/emit', () => {
  it('loads none of the packages that the rest is made of, and does not keep a process alive', async () => {
    const path = await program(
      'import.mjs',
      `import { createRequire } from 'node:module';
       import { createEmitter } from 'evenshare/emit';
       const emitter = createEmitter({ url: 'http://127.0.0.1:1' });
       emitter.emit({ request_id: 'r', tenant: 't', arrived_at: 0 });
       const loaded = Object.keys(createRequire(import.meta.url).cache);
       console.log(JSON.stringify({ loaded, door: Object.keys(await import('evenshare/emit')) }));`,
    );
    const { stdout } = await run(process.execPath, [path]);
    expect(JSON.parse(stdout)).toEqual({ loaded: [], door: ['createEmitter'] });
  });

  it('loads the Kafka client once Kafka is used, and then too tells of trouble instead of throwing', async () => {
    const path = await program(
      'kafka.mjs',
      `import { createRequire } from 'node:module';
       import { createEmitter } from 'evenshare/emit';
       const troubles = [];
       const emitter = createEmitter({ kafka: { brokers: ['127.0.0.1:1'] }, onTrouble: ({ kind }) => troubles.push(kind) });
       emitter.emit({ request_id: 'r', tenant: 't', arrived_at: 0 });
       await emitter.close(1_000);
       const loaded = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('kafkajs'));
       console.log(JSON.stringify({ loaded, stats: emitter.stats() }));`,
    );
    const { stdout } = await run(process.execPath, [path]);
    expect(JSON.parse(stdout)).toMatchObject({
      loaded: true,
      stats: { emitted: 1, delivered: 0, dropped: { closed: 1 } },
    });
  });

  it('holds the process open while it closes, until everything is delivered', async () => {
    const receiver = await startReceiver((index) =>
      index === 0 ? { status: 503, headers: { 'retry-after': '0' } } : { status: 202 },
    );
    const path = await program(
      'close.mjs',
      `import { createEmitter } from 'evenshare/emit';
       const emitter = createEmitter({ url: '${receiver.url}' });
       for (let index = 0; index < 1200; index++) emitter.emit({ request_id: 'r' + index, tenant: 't', arrived_at: 0 });
       emitter.close();`,
    );
    await run(process.execPath, [path]);
    expect(new Set(receiver.taken).size).toBe(1_200);
    await receiver.close();
  });

  it('does what the example in its documentation says', async () => {
    const receiver = await startReceiver();
    const document = await readFile(join(ROOT, 'docs/emit.md'), 'utf8');
    const example = /```js\n([\s\S]*?)```/.exec(document)?.[1] ?? '';
    const path = await program('example.mjs', example);
    const gateway = spawn(process.execPath, [path], {
      env: { ...process.env, EVENSHARE_URL: receiver.url, EVENSHARE_INGEST_TOKEN: 'sesame' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(gateway, 'exit');
    const [port] = await once(gateway.stdout, 'data');
    for (const tenant of ['acme', 'blue', '']) {
      const headers = { connection: 'close', ...(tenant === '' ? {} : { 'x-tenant': tenant }) };
      expect(await (await fetch(`http://127.0.0.1:${String(port).trim()}`, { headers })).text()).toBe('served\n');
    }
    gateway.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    const events = receiver.requests.flatMap(({ lines }) => lines.map((line) => JSON.parse(line)));
    expect(receiver.requests[0]?.headers.authorization).toBe('Bearer sesame');
    expect(events.map(({ tenant }) => tenant).sort()).toEqual(['-', 'acme', 'blue']);
    for (const event of events) {
      expect(event).toMatchObject({ pool: 'api', status: 'ok', request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(event.completed_at).toBeGreaterThanOrEqual(event.arrived_at);
    }
    await receiver.close();
  });
});
