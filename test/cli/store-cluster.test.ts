import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMigrate } from '../../cli/commands/migrate.ts';
import { loadConfig } from '../../cli/load-config.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenshare-config-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function load(store: string) {
  const path = join(folder, 'evenshare.yaml');
  await writeFile(path, `store: { ${store} }\n`);
  return (await loadConfig(path, { NAME: 'from_the_environment' })).store;
}

const SERVER = 'kind: server, url: "http://c:8123"';

describe('store.cluster', () => {
  it('is absent unless it is named', async () => {
    expect(await load(SERVER)).not.toHaveProperty('cluster');
  });

  it.each(['fleet', 'fleet-1', '_a1', 'x'.repeat(63)])('takes %s', async (name) => {
    expect(await load(`${SERVER}, cluster: ${name}`)).toMatchObject({ kind: 'server', cluster: name });
  });

  it('takes a variable of the environment', async () => {
    expect(await load(`${SERVER}, cluster: "\${NAME}"`)).toMatchObject({ cluster: 'from_the_environment' });
  });

  it.each([
    '""',
    '"a b"',
    '"1st"',
    '"x\' ON CLUSTER y"',
    '"x\\\\"',
    '"{cluster}"',
    '"a\\nb"',
    '"a\\n"',
    '"größe"',
    'x'.repeat(64),
  ])('refuses %s, in one line that says where and what', async (name) => {
    await expect(load(`${SERVER}, cluster: ${name}`)).rejects.toThrow(
      /^configuration ".*": store\.cluster: must be the name of a cluster: [^\n]*$/,
    );
  });

  it('is a key of a server only', async () => {
    await expect(load('kind: embedded, cluster: fleet')).rejects.toThrow(/store: unknown key "cluster"/);
  });
});

describe('migrate --sql', () => {
  async function statements(store: string): Promise<string> {
    const path = join(folder, 'evenshare.yaml');
    await writeFile(path, `store: { ${store} }\n`);
    const printed: string[] = [];
    const program = new Command().option('--config <file>');
    addMigrate(program, {
      stdout: { write: (text) => void printed.push(text) },
      stderr: { write: () => {}, isTTY: false },
      stdin: (async function* () {})(),
      env: {},
      clock: { nowMs: () => 0, sleep: () => Promise.reject(new Error('nothing waits here')) },
      signal: new AbortController().signal,
    });
    await program.parseAsync(['--config', path, 'migrate', '--sql'], { from: 'user' });
    return printed.join('');
  }

  it('prints what a server without a cluster would get, and does not look for it', async () => {
    const printed = await statements('kind: server, url: "http://127.0.0.1:9"');
    expect(printed).toMatch(/^CREATE TABLE IF NOT EXISTS schema_migrations \(/);
    expect(printed).toContain('CREATE TABLE IF NOT EXISTS requests (');
    expect(printed).not.toMatch(/ON CLUSTER|Replicated/);
  });

  it('prints what a cluster would get, each statement ended', async () => {
    const printed = await statements('kind: server, url: "http://127.0.0.1:9", cluster: fleet');
    for (const statement of printed.trim().split(/;\n\n|;$/)) {
      if (statement !== '') expect(statement).toMatch(/^(?:CREATE|ALTER) [^\n]* ON CLUSTER 'fleet' /);
    }
    expect(printed).toContain(`'requests_local', cityHash64(pool, tenant));\n`);
  });
});
