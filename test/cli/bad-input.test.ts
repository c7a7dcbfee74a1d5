import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { expectRefusal } from './refusal.ts';
import { smallLog } from './small-log.ts';

// Every way to say it wrong: one line that tells what is wrong and how to mend it, exit code 2 (nothing was done) or 1.

// Many processes one after another: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

let sandbox: CliSandbox;
let log: string;
beforeAll(async () => {
  sandbox = await cliSandbox();
  log = await sandbox.write('good.ndjson', smallLog({ requests: 30 }));
  await mkdir(sandbox.path('folder'));
  await sandbox.write('empty.ndjson', '');
  await sandbox.write('empty.gz', gzipSync(''));
  await sandbox.write(
    'binary.ndjson',
    Uint8Array.from({ length: 4_096 }, (_, index) => index % 256),
  );
  await sandbox.write('archive.zip', 'PK\u0003\u0004 and so on');
  await sandbox.write('cut.gz', gzipSync(smallLog({ requests: 2_000 })).subarray(0, 2_000));
  await sandbox.write('words.txt', 'hello\nworld\n');
  await sandbox.write('jobs.swf', '; Version: 2.2\n; UnixStartTime: 1027839845\n1 0 1 2\n');
});
afterAll(() => sandbox.remove());

describe('a log file', () => {
  test.concurrent.each([
    ['missing', ['missing.ndjson'], 2, /"missing\.ndjson" does not exist: check the path \[EVS_INPUT_MISSING\]/],
    ['a directory', ['folder'], 2, /"folder" is a directory: name the files in it \[EVS_INPUT_DIRECTORY\]/],
    ['empty', ['empty.ndjson'], 2, /"empty\.ndjson" is empty: there is nothing to read \[EVS_INPUT_EMPTY\]/],
    ['empty inside gzip', ['empty.gz'], 2, /"empty\.gz" is empty/],
    ['binary', ['binary.ndjson'], 2, /"binary\.ndjson" is not text .*: name a log file.* \[EVS_INPUT_BINARY\]/],
    ['an archive', ['archive.zip'], 2, /"archive\.zip" is .*zip.*: unpack it first.* \[EVS_INPUT_BINARY\]/],
    ['cut off', ['cut.gz'], 1, /"cut\.gz" cannot be unpacked: .*copy it again \[EVS_INPUT_UNREADABLE\]/],
    ['no log at all', ['words.txt'], 2, /"words\.txt" does not read as format evenshare.*line 1.*--format.*FORMAT\]/],
    ['of another format, lines', ['good.ndjson', '--format', 'swf'], 2, /does not read as format swf.*--format/],
    ['of another format, csv', ['jobs.swf', '--format', 'vtc'], 2, /the header lacks req, .*--format.*INPUT_FORMAT\]/],
    [
      'of a format that is none',
      ['good.ndjson', '--format', 'x'],
      2,
      /"x" is not known: use one of evenshare, .*USAGE/,
    ],
  ] as const)('%s is refused', async (_name, args, code, line) => {
    expectRefusal(await sandbox.run(['audit', ...args]), code, line);
  });

  test('that cannot be read is refused by load in the same words; neither command leaves anything behind', async () => {
    const dataDir = sandbox.path('data');
    const missing = await sandbox.run(['load', 'missing.ndjson', '--data-dir', dataDir]);
    expectRefusal(missing, 2, /"missing\.ndjson" does not exist: check the path \[EVS_INPUT_MISSING\]/);
    const words = await sandbox.run(['load', 'words.txt', '--data-dir', dataDir]);
    expectRefusal(words, 2, /"words\.txt" does not read as format evenshare/);
    expect(await sandbox.leftovers()).toEqual([]);
  });

  test('that is missing shows where in the program it was found out only with --debug', async () => {
    const { code, stderr } = await sandbox.run(['audit', 'missing.ndjson', '--debug']);
    expect(stderr).toMatch(/^evenshare: "missing\.ndjson" does not exist/);
    expect(stderr).toMatch(/\n {4}at .*\ncaused by Error: ENOENT/s);
    expect(code).toBe(2);
  });
});

describe('the words of a command', () => {
  test.concurrent.each([
    [['adit', 'good.ndjson'], /unknown command 'adit' \(Did you mean audit\?\); see "evenshare --help"/],
    [['audit', '--slotz', '8'], /unknown option '--slotz' \(Did you mean --slots\?\); see "evenshare audit --help"/],
    [['audit'], /missing required argument 'file'; see "evenshare audit --help"/],
    [['audit', 'good.ndjson', '--slots', 'eight'], /--slots "eight" must be a number over 0/],
    [['audit', 'good.ndjson', '--window', '60'], /--window "60" is no duration: write 250ms, 20s/],
    [['audit', 'good.ndjson', '--cost-unit', 'euro'], /--cost-unit "euro" must be one of requests, service_ms, tokens/],
    [['audit', 'good.ndjson', '--fail-on', 'bad'], /--fail-on "bad" is no rule: use unfair, unknown, jain<NUMBER/],
    [
      ['audit', 'good.ndjson', '--policy', 'no.yaml'],
      /cannot read the policy "no\.yaml": check --policy \[EVS_POLICY\]/,
    ],
    [['audit', 'good.ndjson', '--option', 'x'], /--option "x" must be KEY=VALUE/],
    [['audit', 'good.ndjson', '--option', 'x=1'], /--option x: not an option of this format/],
    [['fairness', '--from', 'yesterday'], /--from "yesterday" is no time: write 2026-11-01T10:05:00Z or epoch/],
    [['up', '--port', '99999'], /--port "99999" must be a whole number from 0 to 65535 \[EVS_USAGE\]/],
    [['up', '--demo', '--policy', 'lifo'], /--policy "lifo" must be fifo or drr/],
  ] as const)('%j are refused where they are wrong', async (args, line) => {
    expectRefusal(await sandbox.run(args), 2, line);
  });
});

describe('the configuration', () => {
  const SECRET = 'http: { tokens: [{ token: "$' + '{EVENSHARE_TEST_TOKEN}", scope: ingest }] }\n';

  test.concurrent.each([
    ['an unknown key', 'pols: {}\n', /: unknown key "pols"; known here: .*store, window, pools, .* \[EVS_CONFIG\]/],
    ['one further in', 'http: { prot: 80 }\n', /: http: unknown key "prot"; known here: host, port, .*tokens/],
    ['one of a pool', 'pools: { llm-a: { slot: 8 } }\n', /: pools\.llm-a: unknown key "slot"; known here: slots, /],
    ['no duration', 'window: 1 minute\n', /: window: must be a duration such as 250ms/],
    ['a port that is none', 'http: { port: 99999 }\n', /: http\.port: must be <= 65535/],
    ['a store of no kind', 'store: { kind: file }\n', /: store\.kind: must be "embedded" or "server"/],
    ['half a store', 'store: { kind: server }\n', /: store: must have required property 'url'/],
    [
      'a key of the other kind',
      'store: { kind: embedded, url: x }\n',
      /: store: unknown key "url"; known here: kind, path/,
    ],
    ['no mapping', 'http\n', /: must be object/],
    [
      'a missing variable',
      SECRET,
      /: http\.tokens\[0\]\.token: the environment variable EVENSHARE_TEST_TOKEN is not set/,
    ],
  ] as const)('with %s is refused by its path, with what is known there', async (name, text, line) => {
    await sandbox.write(`${name}.yaml`, text);
    expectRefusal(await sandbox.run(['config', 'check', '--config', `${name}.yaml`]), 2, line);
  });

  test('with several mistakes is told all of them at once', async () => {
    await sandbox.write('three.yaml', 'pols: {}\nwindow: soon\nhttp: { prot: 1 }\n');
    const { code, stdout, stderr } = await sandbox.run(['config', 'check', '--config', 'three.yaml']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const mistake of ['unknown key "pols"', 'window: must be', 'http: unknown key "prot"']) {
      expect(stderr).toContain(mistake);
    }
  });

  test('that is named and missing is refused', async () => {
    const result = await sandbox.run(['up', '--config', 'nowhere.yaml']);
    expectRefusal(result, 2, /cannot read the configuration "nowhere\.yaml": check --config \[EVS_CONFIG\]/);
  });

  test('may take secrets from the environment, and never shows them', async () => {
    await sandbox.write('secret.yaml', SECRET);
    const env = { EVENSHARE_TEST_TOKEN: 'hush-hush-very-hush' };
    const args = ['config', 'check', '--json', '--config', 'secret.yaml'];
    const { code, stdout, stderr } = await sandbox.run(args, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ http: { tokens: ['ingest'] } });
    expect(stdout).not.toContain('hush');
  });
});

describe('a server', () => {
  test('open to others is refused without tokens, before it opens anything', async () => {
    await sandbox.write('open.yaml', 'http: { host: 0.0.0.0, port: 0 }\n');
    const result = await sandbox.run(['up', '--config', 'open.yaml']);
    expectRefusal(result, 2, /http\.host "0\.0\.0\.0" is open to others: set http\.tokens .*or bind to 127\.0\.0\.1/);
  });

  test('on a port in use says so, and which', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const result = await sandbox.run(['up', '--port', String(port), '--data-dir', sandbox.path('port')]);
      expectRefusal(result, 1, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use: .*--port \\[EVS_PORT_IN_USE\\]`));
    } finally {
      await new Promise((resolve) => taken.close(resolve));
    }
  });
});

describe('a data folder', () => {
  test('that another process holds is refused, naming that process, which goes on', async () => {
    const dataDir = sandbox.path('held');
    const holder = await sandbox.up(['--port', '0', '--data-dir', dataDir]);
    const { code, stdout, stderr } = await sandbox.run(['load', log, '--data-dir', dataDir]);
    // The engine, refused the lock, writes a line of its own to the descriptor before it tells us.
    const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Code: 76. DB::Exception'));
    expect(lines).toEqual([
      `evenshare: the data folder "${dataDir}" is held by another Evenshare process (process ${holder.pid}): ` +
        'stop that one, or choose another folder with --data-dir [EVS_STORE_LOCKED]',
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const doctor = await sandbox.run(['doctor', '--json', '--data-dir', dataDir]);
    expect(doctor.code).toBe(1);
    expect(JSON.parse(doctor.stdout)).toMatchObject({ ok: false });
    expect(doctor.stdout).toContain(`(process ${holder.pid})`);
    expect((await fetch(`${holder.address}/readyz`)).status).toBe(200);
    holder.kill('SIGTERM');
    expect((await holder.ended).code).toBe(0);
    expect((await sandbox.run(['load', log, '--data-dir', dataDir])).code).toBe(0);
  });

  test('that is a file is refused', async () => {
    const result = await sandbox.run(['load', log, '--data-dir', log]);
    expectRefusal(result, 1, /cannot use ".*good\.ndjson" as data folder .*--data-dir \[EVS_STORE_FAILED\]/);
  });

  test('that is empty of requests is told so by what reads it', async () => {
    const dataDir = sandbox.path('fresh');
    for (const command of ['fairness', 'analyze']) {
      const result = await sandbox.run([command, '--data-dir', dataDir]);
      expectRefusal(result, 2, /the store holds no requests: load a log first, or start a gateway/);
    }
  });
});
