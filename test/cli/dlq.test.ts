import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { folderContents } from '../support/store-contents.ts';

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterAll(() => sandbox.remove());

const ARRIVED = '2026-03-01T10:00:00Z';
/** A record whose bytes would clear a terminal's screen and set its title. */
const HOSTILE = '\u001b[2J\u001b]0;owned\u0007\u202e{"tenant": ';

const dlq = (...args: string[]) => sandbox.run(['dlq', ...args, '--data-dir', 'data']);
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await dlq(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};

describe('dead letters on the command line', () => {
  beforeAll(async () => {
    const line = (given: object) => JSON.stringify({ tenant: 'a', arrived_at: ARRIVED, ...given });
    const lines = [
      line({ request_id: 'good' }),
      line({ request_id: 'no-tenant-1', tenant: undefined }),
      line({ request_id: 'no-tenant-2', tenant: undefined }),
      HOSTILE,
      line({ request_id: 'seconds', arrived_at: 1_772_359_200 }),
    ];
    await sandbox.write('gateway.ndjson', `${lines.join('\n')}\n`);
    const { code } = await sandbox.run(['load', 'gateway.ndjson', '--data-dir', 'data']);
    expect(code).toBe(0);
  });

  it('are listed with their reasons, the newest first, and counted', async () => {
    const { total, by_code, letters } = await json('list');
    expect({ total, by_code }).toEqual({ total: 4, by_code: { missing_field: 2, not_json: 1, time_unit: 1 } });
    expect(letters.map((letter: { position: number }) => letter.position).sort()).toEqual([2, 3, 4, 5]);
    expect(letters[0]).toMatchObject({ source: 'gateway.ndjson', format: 'evenshare', state: 'waiting', retries: 0 });
    const { stdout } = await dlq('list', '--code', 'not_json');
    expect(stdout.split('\n').length).toBe(4);
    expect(stdout).toContain('1 of 1 (not_json 1)');
    expect((await json('list', '--since', '2099-01-01T00:00:00Z')).total).toBe(0);
    expect((await json('list', '--limit', '1')).letters.length).toBe(1);
  });

  it('are shown with their bytes, which no terminal obeys, up to a bound', async () => {
    const [letter] = (await json('list', '--code', 'not_json')).letters;
    const { stdout } = await dlq('show', letter.id.slice(0, 8));
    expect(stdout).toContain('\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{202e}{"tenant": ');
    expect([...stdout].filter((character) => /[\p{Cc}\p{Cf}]/u.test(character) && character !== '\n')).toEqual([]);
    expect((await dlq('show', letter.id, '--bytes', '5')).stdout).toMatch(
      /\\u\{1b\}\[2J\\u\{1b\}… and 23 bytes more\n$/,
    );
    expect(Buffer.from((await json('show', letter.id)).raw_base64, 'base64').toString()).toBe(HOSTILE);
  });

  it('may be of a format that takes no mapping: one given for others does not stop them, unless the format is said too', async () => {
    await sandbox.write('site.yaml', 'tenant: x-tenant\n');
    expect((await dlq('retry', '--map', 'site.yaml', '--dry-run')).code).toBe(0);
    const { code, stderr } = await dlq('retry', '--map', 'site.yaml', '--format', 'evenshare', '--dry-run');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('takes no mapping') });
  });

  it('name what is wrong with an id', async () => {
    for (const [id, words] of [
      ['xyz', 'is no id of a dead letter'],
      ['0000000000000000', 'no dead letter has the id'],
    ] as const) {
      const { code, stderr } = await dlq('show', id);
      expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 2, lines: 2 });
      expect(stderr).toContain(words);
    }
  });

  it('retried after a fix are stored, once; what is not mended stays with its reason', async () => {
    const preview = await json('retry', '--tenant', 'a', '--dry-run');
    expect(preview).toMatchObject({ dry_run: true, stored: 2, refused: { not_json: 1, time_unit: 1 } });
    expect((await folderContents(sandbox.path('data'))).requests).toBe(1);
    const retried = await json('retry', '--tenant', 'a');
    expect(retried).toMatchObject({ dry_run: false, stored: 2, events: 2, refused: { not_json: 1, time_unit: 1 } });
    expect((await folderContents(sandbox.path('data'))).requests).toBe(3);
    expect(await json('retry', '--tenant', 'a', '--code', 'missing_field')).toMatchObject({ stored: 0, refused: {} });
    expect((await json('list')).by_code).toEqual({ not_json: 1, time_unit: 1 });
    const all = await json('list', '--all', '--code', 'missing_field');
    expect(all.letters.map(({ state, retries }: { state: string; retries: number }) => [state, retries])).toEqual([
      ['stored', 1],
      ['stored', 1],
    ]);
    const text = await dlq('retry', all.letters[0].id, '--tenant', 'a');
    expect(text.stdout).toMatch(/^stored 0 .* stored before 1, refused again 0, not tried 0\n$/);
    expect((await folderContents(sandbox.path('data'))).requests).toBe(3);
  });

  it('loaded once more do not come to life again', async () => {
    expect((await sandbox.run(['load', 'gateway.ndjson', '--data-dir', 'data'])).code).toBe(0);
    expect((await json('list')).by_code).toEqual({ not_json: 1, time_unit: 1 });
  });
});
