import { appendFile, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliProcess, type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { folderContents } from '../support/store-contents.ts';
import { until } from '../support/until.ts';

// A log that is written, rotated and read by a process that is killed again and again: none lost, none double.

const ROUNDS = 4;
const LINES_PER_ROUND = 12_000;
const INVALID_EVERY = 100;
const FROM_MS = Date.UTC(2026, 2, 2, 10);

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterAll(() => sandbox.remove());

function textOf(round: number, from: number, to: number): string {
  let text = '';
  for (let index = from; index < to; index++) {
    const number = round * LINES_PER_ROUND + index;
    const identity = { request_id: `r${number}`, tenant: `t${number % 7}` };
    text += `${JSON.stringify(index % INVALID_EVERY === 0 ? identity : { ...identity, arrived_at: FROM_MS + number })}\n`;
  }
  return text;
}

/** How far the process has noted that it is; 0 before it has. */
async function notedBytes(dataDir: string): Promise<number> {
  const names = await readdir(`${dataDir}/follow`).catch(() => []);
  const name = names.find((each) => each.endsWith('.json'));
  if (name === undefined) return 0;
  return Number(JSON.parse(await readFile(`${dataDir}/follow/${name}`, 'utf8')).offsetBytes);
}

test('every line of a log is stored once, through kill -9, rotation and a torn line, and it ends with 0', {
  timeout: 240_000,
}, async () => {
  const log = await sandbox.write('gateway.log', '');
  const dataDir = sandbox.path('data');
  const follow = (): CliProcess => sandbox.start(['load', log, '--follow', '--data-dir', dataDir, '--json']);
  for (let round = 0; round < ROUNDS; round++) {
    const reader = follow();
    const torn = textOf(round, LINES_PER_ROUND - 1, LINES_PER_ROUND);
    const before = await notedBytes(dataDir);
    await appendFile(log, textOf(round, 0, LINES_PER_ROUND - 1) + torn.slice(0, 20));
    await until('something is stored', async () => ((await notedBytes(dataDir)) !== before ? true : null));
    reader.kill('SIGKILL');
    expect(await reader.ended).toMatchObject({ signal: 'SIGKILL' });
    await appendFile(log, torn.slice(20));
    // Every other time it is rotated while nobody reads it.
    if (round % 2 === 1) {
      await rename(log, sandbox.path(`gateway.log.${ROUNDS - round}`));
      await writeFile(log, '');
    }
  }
  await appendFile(log, textOf(ROUNDS, 0, 10));
  const size = (await readFile(log)).length;
  const last = follow();
  await until('everything is stored', async () => ((await notedBytes(dataDir)) === size ? true : null));
  last.kill('SIGTERM');
  const ended = await last.ended;
  expect(ended).toMatchObject({ code: 0, signal: null });
  expect(ended.stderr).toContain('following');
  expect(ended.stderr).not.toContain('missing');
  expect(JSON.parse(ended.stdout).rejected).toMatchObject({ missing_field: expect.any(Number) });

  const lines = ROUNDS * LINES_PER_ROUND + 10;
  const letters = ROUNDS * (LINES_PER_ROUND / INVALID_EVERY) + 1;
  expect(await folderContents(dataDir)).toMatchObject({
    requests: lines - letters,
    requestIds: lines - letters,
    letterContents: letters,
  });
});

test('following ends with 0 on SIGINT, too, and refuses what it cannot follow', async () => {
  const log = await sandbox.write('other.log', textOf(9, 1, 3));
  const args = ['--data-dir', sandbox.path('other'), '--positions', sandbox.path('noted')];
  const reader = sandbox.start(['load', log, '--follow', ...args]);
  await until('it is stored', async () =>
    (await readdir(sandbox.path('noted')).catch(() => [])).length > 0 ? true : null,
  );
  reader.kill('SIGINT');
  const ended = await reader.ended;
  expect(ended.code).toBe(0);
  expect(ended.stdout).toMatch(/^accepted [02], duplicate/);
  expect(await sandbox.run(['load', '-', '--follow', ...args])).toMatchObject({ code: 2 });
  const missing = await sandbox.run(['load', sandbox.path('no.log'), '--follow', ...args]);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('EVS_INPUT_MISSING') });
});
