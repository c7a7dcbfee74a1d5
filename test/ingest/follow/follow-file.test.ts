import { appendFile, copyFile, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineQuery, type Parameters } from '../../../analytics/storage/index.ts';
import { createBatchWriter, type PositionStore, positionFile } from '../../../ingest/index.ts';
import { EvenshareError, seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { until } from '../../support/until.ts';
import { type FollowerOptions, type LogFolder, lineOf, linesOf, logFolder, type Run } from './follower.ts';

// Logs as gateways write and rotate them, through real files into the real store. Looks happen when the test says so.

const ROWS = defineQuery<Parameters, { readonly id: string; readonly deliveries: number }>({
  name: 'test-deliveries',
  sql: 'SELECT request_id, sum(deliveries) AS deliveries FROM requests GROUP BY request_id ORDER BY request_id',
  decode: (row) => ({ id: String(row.request_id), deliveries: Number(row.deliveries) }),
});
const LETTERS = defineQuery<Parameters, readonly unknown[]>({
  name: 'test-letters-of-a-log',
  sql: 'SELECT position, code FROM dead_letters FINAL ORDER BY position',
  decode: (row) => [Number(row.position), row.code],
});
const GRACE_MS = 5_000;

let opened: TemporaryStore;
let folder: LogFolder;
let runs: Run[];
beforeAll(async () => {
  opened = await temporaryStore();
});
beforeEach(async () => {
  for (const table of ['requests', 'dead_letters']) await opened.store.command('intake', `TRUNCATE TABLE ${table}`);
  folder = await logFolder(opened.store);
  runs = [];
});
afterEach(async () => {
  for (const run of runs) await run.stop().catch(() => undefined);
  await folder.remove();
});
afterAll(() => opened.remove());

function start(options: FollowerOptions = {}): Run {
  const run = folder.start(options);
  runs.push(run);
  return run;
}

/** Ids that were stored, each with how often it was sent to the store. */
const rows = () => opened.store.query('reads', ROWS, {});
const ids = async (): Promise<string[]> => (await rows()).map(({ id }) => id);
const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('following a log', () => {
  it('stores what is there, then what is written to it', async () => {
    await writeFile(folder.log, linesOf('a', 3));
    const run = start();
    await run.idle();
    expect(await ids()).toEqual(['a0', 'a1', 'a2']);
    await appendFile(folder.log, linesOf('b', 2));
    await run.look();
    expect(await ids()).toEqual(['a0', 'a1', 'a2', 'b0', 'b1']);
    await run.look();
    expect(await run.stop()).toMatchObject({ accepted: 5, duplicate: 0, rejected: {} });
  });

  it('waits for the rest of a torn last line, however it is cut', async () => {
    const fox = JSON.stringify({ request_id: '🦊', tenant: '中文', arrived_at: 1_790_848_000_000 });
    const bytes = Buffer.from(`${lineOf('a')}${fox}\n`);
    await writeFile(folder.log, '');
    const run = start();
    await run.idle();
    for (let at = 0; at < bytes.length; at += 7) {
      await appendFile(folder.log, bytes.subarray(at, at + 7));
      await run.look();
    }
    expect(await ids()).toEqual(['a', '🦊']);
    expect(await run.stop()).toMatchObject({ accepted: 2, rejected: {} });
  });

  it('goes on where it stopped, also within a line, and reads nothing twice', async () => {
    const [half, rest] = [lineOf('b').slice(0, 20), lineOf('b').slice(20)];
    await writeFile(folder.log, linesOf('a', 3) + half);
    const first = start();
    await first.idle();
    await first.stop();
    await appendFile(folder.log, rest + lineOf('c'));
    const second = start();
    await second.idle();
    expect(second.messages).toEqual([expect.stringMatching(/^following .* from byte \d+, line 4$/)]);
    expect(await second.stop()).toMatchObject({ accepted: 2, duplicate: 0 });
    expect(await rows()).toEqual(['a0', 'a1', 'a2', 'b', 'c'].map((id) => ({ id, deliveries: 1 })));
  });

  it('tells a dead letter by its line of the whole file, also after it went on', async () => {
    await writeFile(folder.log, `${linesOf('a', 2)}no json\n`);
    const first = start();
    await first.idle();
    await first.stop();
    await appendFile(folder.log, `${lineOf('b')}\n{"request_id":"x"}\n`);
    const second = start();
    await second.idle();
    expect(await opened.store.query('reads', LETTERS, {})).toEqual([
      [3, 'not_json'],
      [6, 'missing_field'],
    ]);
  });

  it('reads a large log in pieces', async () => {
    await writeFile(folder.log, linesOf('a', 25_000));
    const run = start();
    await run.idle();
    expect((await run.stop()).accepted).toBe(25_000);
    expect(new Set(await ids()).size).toBe(25_000);
  });

  it('passes over a line that is too long, and knows where it is afterwards', async () => {
    await writeFile(folder.log, `${lineOf('a')}${'x'.repeat(3_000_000)}\n${lineOf('b')}`);
    const first = start();
    await first.idle();
    expect((await first.stop()).rejected).toEqual({ line_too_long: 1 });
    await appendFile(folder.log, lineOf('c'));
    const second = start();
    await second.idle();
    expect(await second.stop()).toMatchObject({ accepted: 1, rejected: {} });
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });
});

describe('a log that is rotated by renaming', () => {
  it('is read to its end, with what is still written to it, then the new one from its start', async () => {
    await writeFile(folder.log, linesOf('a', 2));
    const run = start();
    await run.idle();
    await rename(folder.log, folder.of('access.log.1'));
    await appendFile(folder.of('access.log.1'), lineOf('b'));
    await run.look();
    await writeFile(folder.log, lineOf('c'));
    // The writer has not let go of the old one yet.
    await appendFile(folder.of('access.log.1'), lineOf('d'));
    await run.look();
    expect(await ids()).toEqual(['a0', 'a1', 'b', 'd']);
    await run.look(GRACE_MS);
    expect(await ids()).toEqual(['a0', 'a1', 'b', 'c', 'd']);
    await appendFile(folder.log, lineOf('e'));
    await run.look();
    expect(await run.stop()).toMatchObject({ accepted: 6, duplicate: 0, rejected: {} });
  });

  it('is waited for while there is no new one', async () => {
    await writeFile(folder.log, lineOf('a'));
    const run = start();
    await run.idle();
    await rename(folder.log, folder.of('access.log.1'));
    await run.look();
    await run.look(GRACE_MS);
    await run.look();
    await writeFile(folder.log, lineOf('b'));
    await run.look();
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('several times while nobody read it, is read from all that is left, in order and once', async () => {
    await writeFile(folder.log, linesOf('a', 2));
    const first = start();
    await first.idle();
    await first.stop();
    await appendFile(folder.log, lineOf('b'));
    await rename(folder.log, folder.of('access.log.2'));
    await writeFile(folder.of('access.log.1'), lineOf('c'));
    await writeFile(folder.log, lineOf('d'));
    const second = start();
    await second.idle();
    expect(await second.stop()).toMatchObject({ accepted: 3, duplicate: 0 });
    expect(await rows()).toEqual(['a0', 'a1', 'b', 'c', 'd'].map((id) => ({ id, deliveries: 1 })));
    expect(second.messages).toEqual([expect.stringMatching(/from byte 0, line 1$/)]);
  });

  it('twice within the time that it waits for the old one, misses none', async () => {
    await writeFile(folder.log, lineOf('a'));
    const run = start();
    await run.idle();
    await rename(folder.log, folder.of('access.log.1'));
    await writeFile(folder.log, lineOf('b'));
    await run.look();
    await rename(folder.of('access.log.1'), folder.of('access.log.2'));
    await rename(folder.log, folder.of('access.log.1'));
    await writeFile(folder.log, lineOf('c'));
    await run.look(GRACE_MS);
    expect(await rows()).toEqual(['a', 'b', 'c'].map((id) => ({ id, deliveries: 1 })));
  });

  it('and removed while nobody read it: what may be missing is said', async () => {
    await writeFile(folder.log, lineOf('a'));
    const first = start();
    await first.idle();
    await first.stop();
    await rm(folder.log);
    await writeFile(folder.log, lineOf('b').repeat(1) + lineOf('c'));
    const second = start();
    await second.idle();
    expect(second.messages[0]).toMatch(/is missing/);
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });

  it('and removed at once after it was read to its end: nothing is missing', async () => {
    await writeFile(folder.log, lineOf('a'));
    const run = start();
    await run.idle();
    await rm(folder.log);
    await run.look();
    await writeFile(folder.log, lineOf('b'));
    await run.look(GRACE_MS);
    expect(run.messages.join()).not.toMatch(/missing/);
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('with a last line that never got its end, reads that as it is', async () => {
    await writeFile(folder.log, lineOf('a') + lineOf('b').trimEnd());
    const run = start();
    await run.idle();
    await rename(folder.log, folder.of('access.log.1'));
    await writeFile(folder.log, lineOf('c'));
    await run.look();
    await run.look(GRACE_MS);
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });
});

describe('a log that is rotated by copying and emptying', () => {
  it('is read on in its copy, then from its start', async () => {
    await writeFile(folder.log, linesOf('a', 2) + lineOf('half').slice(0, 9));
    const run = start();
    await run.idle();
    await appendFile(folder.log, lineOf('half').slice(9) + lineOf('b'));
    await copyFile(folder.log, folder.of('access.log.1'));
    await truncate(folder.log, 0);
    await appendFile(folder.log, lineOf('c'));
    await run.look();
    expect(await rows()).toEqual(['a0', 'a1', 'b', 'c', 'half'].map((id) => ({ id, deliveries: 1 })));
    await appendFile(folder.log, lineOf('d'));
    await run.look();
    expect((await run.stop()).accepted).toBe(6);
  });

  it('is known also when it has grown longer than it was before anybody looked', async () => {
    await writeFile(folder.log, lineOf('a'));
    const run = start();
    await run.idle();
    await copyFile(folder.log, folder.of('access.log.1'));
    await truncate(folder.log, 0);
    await appendFile(folder.log, linesOf('b', 30));
    await run.look();
    expect((await ids()).sort()).toEqual(['a', ...names('b', 30)].sort());
    expect((await run.stop()).rejected).toEqual({});
  });

  it('while it was empty when it was last looked at, is read from its copy', async () => {
    await writeFile(folder.log, '');
    const run = start();
    await run.idle();
    await fileClockMoved(folder);
    await appendFile(folder.log, lineOf('a'));
    await copyFile(folder.log, folder.of('access.log.1'));
    await truncate(folder.log, 0);
    await run.look();
    await run.look();
    expect(await ids()).toEqual(['a']);
    expect(run.messages.join()).not.toMatch(/missing/);
  });

  it('while nobody read it, is read on in its copy too', async () => {
    await writeFile(folder.log, linesOf('a', 2));
    const first = start();
    await first.idle();
    await first.stop();
    await appendFile(folder.log, lineOf('b'));
    await copyFile(folder.log, folder.of('access.log-20261101'));
    await writeFile(folder.log, lineOf('c'));
    const second = start();
    await second.idle();
    expect(await second.stop()).toMatchObject({ accepted: 2, duplicate: 0 });
    expect(await ids()).toEqual(['a0', 'a1', 'b', 'c']);
  });

  it('without a copy: what may be missing is said', async () => {
    await writeFile(folder.log, linesOf('a', 2));
    const run = start();
    await run.idle();
    await truncate(folder.log, 0);
    await run.look();
    expect(run.messages.join()).toMatch(/is missing/);
    await appendFile(folder.log, lineOf('b'));
    await run.look();
    expect(await ids()).toEqual(['a0', 'a1', 'b']);
  });
});

it('a random life of a log: whatever is written, rotated, stopped and crashed, every line is stored', {
  timeout: 120_000,
}, async () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    await opened.store.command('intake', 'TRUNCATE TABLE requests');
    const life = await logFolder(opened.store);
    const written = await randomLife(life, seed);
    expect((await ids()).sort(), `seed ${seed}`).toEqual([...written].sort());
    await life.remove();
  }
});

/** File systems tell times no finer than some milliseconds: what happens within one tick cannot be told apart. */
async function fileClockMoved(life: LogFolder): Promise<void> {
  const path = life.of('clock');
  const tick = async (): Promise<number> => {
    await writeFile(path, 'x');
    return (await stat(path)).mtimeMs;
  };
  const before = await tick();
  await until('the clock of files has moved on', async () => ((await tick()) === before ? null : true), { everyMs: 1 });
}

/** Sixty steps of a gateway's log and of who follows it; returns the ids that were written. */
async function randomLife(life: LogFolder, seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const chance = (share: number): boolean => random.next() < share;
  const positions = life.of('positions/access.json');
  const written: string[] = [];
  let rotations = 0;
  /** What a writer that was cut in the middle still has to write. */
  let tail = '';
  /** A position of some time ago: what a crash before the next one is written leaves. */
  let older = '';
  await writeFile(life.log, '');
  let run = life.start();
  await run.idle();
  const write = async (): Promise<void> => {
    const fresh = Array.from({ length: Math.floor(random.next() * 4) }, (_, at) => `s${seed}-${written.length + at}`);
    written.push(...fresh);
    const text = tail + fresh.map(lineOf).join('');
    const cut = Math.floor(random.next() * (text.length + 1));
    await appendFile(life.log, text.slice(0, cut));
    tail = text.slice(cut);
  };
  const rotate = async (): Promise<void> => {
    await fileClockMoved(life);
    await appendFile(life.log, tail);
    tail = '';
    const rotated = life.of(`access.log.${rotations++}`);
    if (chance(0.5)) {
      await rename(life.log, rotated);
      await writeFile(life.log, '');
    } else {
      await copyFile(life.log, rotated);
      await truncate(life.log, 0);
    }
  };
  const restart = async (): Promise<void> => {
    await run.stop();
    if (chance(0.5) && older !== '') await writeFile(positions, older);
    run = life.start();
    await run.idle();
  };
  for (let step = 0; step < 60; step++) {
    const action = random.next();
    if (action < 0.5) await write();
    else if (action < 0.65) await rotate();
    else if (action < 0.75) await restart();
    else await run.look(chance(0.3) ? GRACE_MS : 250);
    if (chance(0.1)) older = await readFile(positions, 'utf8');
  }
  await appendFile(life.log, tail);
  for (let look = 0; look < 4; look++) await run.look(GRACE_MS);
  expect((await run.stop()).rejected, `seed ${seed}`).toEqual({});
  return written;
}

describe('what can go wrong', () => {
  it('a crash between the rows and the position: some are read again, none is double', async () => {
    await writeFile(folder.log, linesOf('a', 3));
    const real = positionFile(folder.of('positions/access.json'));
    let isCrashing = false;
    const positions: PositionStore = {
      read: real.read,
      write: (position) => (isCrashing ? Promise.reject(new Error('power cut')) : real.write(position)),
    };
    const first = start({ positions });
    await first.idle();
    isCrashing = true;
    await appendFile(folder.log, linesOf('b', 3));
    await first.look().catch(() => undefined);
    await expect(first.ended).rejects.toThrow('power cut');
    const second = start();
    await second.idle();
    expect(await second.stop()).toMatchObject({ accepted: 3, duplicate: 3 });
    expect(await ids()).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2']);
  });

  it('an unreachable store is waited for, and said once', async () => {
    let failures = 3;
    const writer = createBatchWriter(opened.store, { nowMs: () => 0, maxPendingEvents: 1_000, maxBatchEvents: 100 });
    const submit: typeof writer.submit = async (submission) => {
      if (failures-- > 0) throw new EvenshareError('EVS_STORE_UNREACHABLE', 'the store is away', { retryable: true });
      return writer.submit(submission);
    };
    await writeFile(folder.log, linesOf('a', 2));
    const run = start({ writer: { submit, drain: writer.drain, pendingEvents: 0 } });
    await run.idle();
    expect(run.messages.slice(1)).toEqual(['the store is away; trying again', 'the store takes events again']);
    expect(await run.stop()).toMatchObject({ accepted: 2 });
  });

  it('a store that is away when it is to end: it ends all the same, and the next run reads the rest', async () => {
    const away = new EvenshareError('EVS_STORE_UNREACHABLE', 'the store is away', { retryable: true });
    let tellAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      tellAsked = resolve;
    });
    await writeFile(folder.log, linesOf('a', 2));
    const run = start({
      writer: {
        submit: async () => {
          tellAsked();
          throw away;
        },
        drain: async () => undefined,
        pendingEvents: 0,
      },
      sleep: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
          if (signal.aborted) resolve();
        }),
    });
    await asked;
    expect(await run.stop()).toMatchObject({ accepted: 0 });
    expect(run.messages.at(-1)).toMatch(/read again by the next run/);
    const next = start();
    await next.idle();
    expect(await next.stop()).toMatchObject({ accepted: 2 });
  });

  it('a log in another format is refused, and nothing of it stored', async () => {
    await writeFile(folder.log, 'GET /x\n'.repeat(200));
    await expect(start().ended).rejects.toMatchObject({ code: 'EVS_INPUT_FORMAT' });
    expect(await opened.store.query('reads', LETTERS, {})).toEqual([]);
  });

  it.each([
    ['is missing', null, 'EVS_INPUT_MISSING'],
    ['is packed', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'EVS_INPUT_BINARY'],
    ['is no text', Buffer.from('a\0b'), 'EVS_INPUT_BINARY'],
  ])('a log that %s at the start is refused', async (_, content, code) => {
    if (content !== null) await writeFile(folder.log, content);
    await expect(start().ended).rejects.toMatchObject({ code });
  });

  it.each([['{"version":2}'], ['not json'], [''], ['{"version":1,"file":{},"offsetBytes":-1,"line":0}']])(
    'a position file of %j is refused with how to mend it',
    async (text) => {
      await writeFile(folder.log, lineOf('a'));
      const first = start();
      await first.idle();
      await first.stop();
      const path = folder.of('positions/access.json');
      expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ version: 1, line: 2 });
      await writeFile(path, text);
      await expect(start().ended).rejects.toThrow(/position file .* mend or remove it/);
    },
  );
});

describe('a CSV log', () => {
  const MAPPING = { fields: { request_id: 'id', tenant: 'who', arrived_at: 'at' }, time_unit: 'ms' };
  const csv = { format: 'csv', adapterOptions: { defaultPool: 'p', tenant: null, options: {}, mapping: MAPPING } };
  const row = (id: string, who = 'a'): string => `${id},${who},1790848000000\n`;

  it('is gone on with in the middle, its header known; rows may span lines', async () => {
    await writeFile(folder.log, `id,who,at\n${row('a')}b,"two\nlines`);
    const first = start(csv);
    await first.idle();
    await first.stop();
    expect(await ids()).toEqual(['a']);
    await appendFile(folder.log, `\nand a third",1790848000000\n${row('c', '"x, y"')}`);
    const second = start(csv);
    await second.idle();
    await appendFile(folder.log, row('d'));
    await second.look();
    const report = await second.stop();
    // A name with a line end in it is refused, as a whole row.
    expect(report).toMatchObject({ accepted: 2, rejected: { control_character: 1 } });
    expect(report.samples).toMatchObject([{ line: 3 }]);
    expect(await ids()).toEqual(['a', 'c', 'd']);
  });

  it('has a header of its own after it was rotated', async () => {
    await writeFile(folder.log, `id,who,at\n${row('a')}`);
    const run = start(csv);
    await run.idle();
    await rename(folder.log, folder.of('access.log.1'));
    await writeFile(folder.log, `at,id,who\n1790848000000,b,a\n`);
    await run.look();
    await run.look(GRACE_MS);
    expect(await run.stop()).toMatchObject({ accepted: 2, rejected: {} });
    expect(await ids()).toEqual(['a', 'b']);
  });
});
