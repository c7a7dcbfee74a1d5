import { readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { folderContents } from '../support/store-contents.ts';
import { until } from '../support/until.ts';
import { expectRefusal } from './refusal.ts';
import { smallLog } from './small-log.ts';

// What comes in on the standard input, what goes out on the standard output, and what an interrupt leaves behind.

/** Enough for an interrupt to come in the middle. */
const MANY = 150_000;

// Many processes one after another: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
  await sandbox.write('log.ndjson', smallLog({ requests: 3_000 }));
  await sandbox.write('many.ndjson', smallLog({ requests: MANY, everyMs: 3 }));
});
afterAll(() => sandbox.remove());

describe('the standard input', () => {
  test('is read where - stands for a file, plain or packed, and gives what the file gives', async () => {
    const fromFile = await sandbox.run(['audit', 'log.ndjson', '--json']);
    expect(fromFile.code).toBe(0);
    const log = smallLog({ requests: 3_000 });
    for (const stdin of [log, gzipSync(log)]) {
      expect(await sandbox.run(['audit', '-', '--json'], { stdin })).toEqual(fromFile);
    }
  });

  test('that nobody asked for is left alone, whatever it holds', async () => {
    // The embedded engine would take it for rows of the next insert.
    const stdin = 'x\ty\n'.repeat(10_000);
    const args = ['load', 'log.ndjson', '--json', '--data-dir', sandbox.path('unasked')];
    const { code, stdout, stderr } = await sandbox.run(args, { stdin });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ accepted: 3_000, rejected: {} });
  });

  test('that is empty, or no log, is refused in one line', async () => {
    expectRefusal(await sandbox.run(['audit', '-']), 2, /the standard input is empty: there is nothing to read/);
    const stdin = 'hello\n'.repeat(200);
    expectRefusal(await sandbox.run(['audit', '-'], { stdin }), 2, /the standard input does not read as format evens/);
  });

  test('that says nothing for long does not hold up an interrupt', async () => {
    const waiting = sandbox.start(['audit', '-'], { stdin: 'open' });
    waiting.stdin.write(smallLog({ requests: 3 }));
    await until('the command has its store', async () => ((await sandbox.leftovers()).length > 0 ? true : null));
    waiting.kill('SIGINT');
    expect(await waiting.ended).toMatchObject({ code: 130, stdout: '', stderr: 'evenshare: interrupted\n' });
    expect(await sandbox.leftovers()).toEqual([]);
  });
});

describe('the standard output', () => {
  test.each([
    ['JSON', ['--json']],
    ['tables', []],
  ] as const)('closed by a reader that has seen enough (%s) is no error', async (_name, args) => {
    const running = sandbox.start(['audit', 'log.ndjson', '--slots', '2', '--window', '1s', ...args]);
    running.stdout.once('data', () => running.stdout.destroy());
    const { code, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/evenshare:|Error|EPIPE/);
  });
});

describe('an interrupt', () => {
  const hasStored = async (folder: string): Promise<true | null> => {
    const files = await readdir(folder, { recursive: true }).catch((): string[] => []);
    return files.some((file) => /\/202610_\d+_\d+_\d+\/checksums\.txt$/.test(file)) ? true : null;
  };

  test('in the middle of a load leaves a store that goes on: loading again completes it, each request once', async () => {
    const dataDir = sandbox.path('interrupted');
    const args = ['load', 'many.ndjson', '--json', '--data-dir', dataDir];
    const loading = sandbox.start(args);
    await until('a part of the log is stored', () => hasStored(dataDir));
    loading.kill('SIGINT');
    expect(await loading.ended).toMatchObject({ code: 130, stdout: '', stderr: 'evenshare: interrupted\n' });
    const partly = await folderContents(dataDir);
    expect(partly.requests).toBeGreaterThan(0);
    expect(partly.requests).toBeLessThan(MANY);

    const { code, stdout } = await sandbox.run(args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: MANY, duplicate: partly.requests, conflict: 0, rejected: {} });
    expect(await folderContents(dataDir)).toMatchObject({ requests: MANY, requestIds: MANY, letters: 0 });
  });

  test('in the middle of an audit removes its temporary store', async () => {
    const auditing = sandbox.start(['audit', 'many.ndjson', '--json']);
    await until('a part of the log is stored', () => hasStored(sandbox.path('tmp')));
    expect((await sandbox.leftovers()).length).toBeGreaterThan(0);
    auditing.kill('SIGINT');
    expect(await auditing.ended).toMatchObject({ code: 130, stdout: '', stderr: 'evenshare: interrupted\n' });
    expect(await sandbox.leftovers()).toEqual([]);
  });
});
