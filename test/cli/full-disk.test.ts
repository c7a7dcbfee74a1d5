import { spawnSync } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest';
import { requirePart } from '../support/require-part.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { folderContents } from '../support/store-contents.ts';
import { expectRefusal } from './refusal.ts';
import { smallLog } from './small-log.ts';

// A disk that fills up, for real: a small file system in memory. What was acknowledged stays, what was not goes through
// once there is room again.

const DISK_BYTES = 64 * 1024 * 1024;
const FEW = 3_000;
const MANY = 80_000;

// Many processes one after another: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

let sandbox: CliSandbox;
let isMounted = false;
beforeAll(async () => {
  sandbox = await cliSandbox();
  await mkdir(sandbox.path('disk'));
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', sandbox.path('disk')];
  isMounted = spawnSync('mount', options).status === 0;
});
afterAll(async () => {
  await sandbox.endAll();
  if (isMounted) spawnSync('umount', [sandbox.path('disk')]);
  await sandbox.remove();
});

function requireDisk(context: TestContext): string {
  return requirePart(context, {
    name: 'a disk that may be filled',
    find: () => (isMounted ? sandbox.path('disk') : null),
    remedy: 'run the tests where they may mount a tmpfs (as root)',
  });
}

/** Takes all room but so many bytes; returns what gives it back. */
async function fill(disk: string, exceptBytes: number): Promise<() => Promise<void>> {
  const { bavail, bsize } = await statfs(disk);
  const filler = `${disk}/filler`;
  await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - exceptBytes)));
  return () => rm(filler);
}

describe('a full disk', () => {
  test('fails a load in one line; what was loaded before is there, and the same load goes through afterwards', async (context) => {
    const disk = requireDisk(context);
    const store = ['--data-dir', `${disk}/loaded`, '--json'];
    const few = await sandbox.write('few.ndjson', smallLog({ requests: FEW, prefix: 'few' }));
    const many = await sandbox.write('many.ndjson', smallLog({ requests: MANY, everyMs: 3, prefix: 'many' }));
    expect((await sandbox.run(['load', few, ...store])).code).toBe(0);

    const free = await fill(disk, 1_500_000);
    const failed = await sandbox.run(['load', many, ...store]);
    expectRefusal(failed, 1, /the store has no room left \(.+\): free space on its disk .* \[EVS_STORE_FULL\]/);
    await free();

    const between = await folderContents(`${disk}/loaded`);
    expect(between.requests).toBeGreaterThanOrEqual(FEW);
    expect(between.requests).toBeLessThan(FEW + MANY);
    const again = await sandbox.run(['load', few, ...store]);
    expect(JSON.parse(again.stdout)).toMatchObject({ accepted: FEW, duplicate: FEW });
    const { code, stdout, stderr } = await sandbox.run(['load', many, ...store]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ accepted: MANY, duplicate: between.requests - FEW, conflict: 0 });
    const all = { requests: FEW + MANY, requestIds: FEW + MANY, letters: 0 };
    expect(await folderContents(`${disk}/loaded`)).toMatchObject(all);
    await rm(`${disk}/loaded`, { recursive: true });
  });

  test('makes a server answer 503, not die; what it acknowledged is there, and the same body goes through afterwards', async (context) => {
    const disk = requireDisk(context);
    const server = await sandbox.up(['--port', '0', '--data-dir', `${disk}/served`]);
    const post = (prefix: string) =>
      fetch(`${server.address}/v1/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: recentLog(prefix),
      });
    expect((await post('before')).status).toBe(202);

    const free = await fill(disk, 0);
    const refused = await post('refused');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused.json()).toMatchObject({ status: 503, code: 'EVS_STORE_FULL' });
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    await free();

    expect((await post('refused')).status).toBe(202);
    const repeated = await post('before');
    expect(await repeated.json()).toMatchObject({ accepted: FEW, duplicate: FEW, rejected: [] });
    server.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    const all = { requests: 2 * FEW, requestIds: 2 * FEW, letters: 0 };
    expect(await folderContents(`${disk}/served`)).toMatchObject(all);
  });
});

/** When the test began; one moment, so that a body can be repeated. */
const BEGAN_MS = Date.now();

/** Requests of the last minutes: an intake takes no old ones. */
function recentLog(prefix: string): string {
  let text = '';
  for (let index = 0; index < FEW; index++) {
    const at = BEGAN_MS - 300_000 + index * 50;
    const times = { arrived_at: at, dispatched_at: at + 5, completed_at: at + 25 };
    text += `${JSON.stringify({ request_id: `${prefix}${index}`, tenant: `t${index % 3}`, ...times })}\n`;
  }
  return text;
}
