import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cachedJars, DEFAULT_KAFKA_VERSION, findJava, findMaven } from '../../scripts/kafka/fetch-jars.js';
import { requirePart } from '../support/require-part.ts';

const SCRIPT = join(import.meta.dirname, '../../scripts/kafka/main.js');

let temporary = '';
beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'evenshare-script-'));
});
afterAll(() => rm(temporary, { recursive: true, force: true }));

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { ...process.env, TMPDIR: temporary, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += String(chunk);
  });
  const ended = once(child, 'close').then(([code]) => ({ code, complaints }));
  return { child, ended };
}

describe('npm run kafka', () => {
  it.each([
    ['an unknown option', ['--prot', '1'], 2, "Unknown option '--prot'"],
    ['a port that is none', ['--port', 'many'], 2, '--port many is no whole number from 0 to 65535'],
    ['a version that does not run here', ['--version', '2.8.0'], 1, '"2.8.0" is no version of Kafka that runs here'],
  ])('refuses %s in one line', async (_what, args, code, words) => {
    const ended = await start(args).ended;
    expect(ended.code).toBe(code);
    expect(ended.complaints).toContain(words);
    expect(ended.complaints).not.toContain('    at ');
  });

  it('says that Java is missing', async () => {
    const ended = await start([], { PATH: temporary, JAVA_HOME: '' }).ended;
    expect(ended.code).toBe(1);
    expect(ended.complaints).toContain('Java is not on the PATH: install a JRE, 17 or newer');
  });

  it('serves until it is told to stop, then leaves nothing behind', async (context) => {
    requirePart(context, { name: 'Java', find: findJava, remedy: 'install a JRE, 17 or newer' });
    requirePart(context, {
      name: 'Maven, which fetches Kafka',
      find: () => cachedJars(DEFAULT_KAFKA_VERSION) ?? findMaven(),
      remedy: 'install maven',
    });
    const { child, ended } = start(['--topics', 'one,two', '--partitions', '2']);
    const line = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line').then(([first]) => String(first)),
      ended.then(({ complaints }) => complaints),
    ]);
    expect(line).toMatch(/^bootstrap servers 127\.0\.0\.1:\d+$/);
    const bootstrap = line.replace('bootstrap servers ', '');
    const admin = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING, retry: { retries: 0 } }).admin();
    await admin.connect();
    expect((await admin.listTopics()).sort()).toEqual(['one', 'two']);
    await admin.disconnect();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(await readdir(temporary)).toEqual([]);
    await expect(admin.connect()).rejects.toThrow('ECONNREFUSED');
  });
});
