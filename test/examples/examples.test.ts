import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill();
});

describe('the examples', () => {
  it('tell what a policy change would do', async () => {
    const { stdout, stderr } = await run(process.execPath, ['examples/simulate-policy-change.mjs'], { cwd: ROOT });
    expect(stderr).toBe('');
    const [today, proposed] = stdout.trim().split('\n');
    expect(today).toMatch(/^today: Jain index 0\.7\d\d; worst off \w+ with 0\.[23]\d of its share; 2\d\d\d ms/);
    expect(proposed).toMatch(
      /^proposed: Jain index 1\.000; worst off \w+ with (1\.0\d|0\.9\d) of its share; [12]\d ms/,
    );
  });

  it('queue fairly in front of a handler: a tenant that floods it keeps nobody else waiting', async () => {
    const child = spawn(process.execPath, ['examples/fair-queue-handler.mjs', '0'], { cwd: ROOT });
    started.push(child);
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (line) => resolve(String(line).trim()));
      child.once('exit', () => reject(new Error('the example ended')));
    });
    const order: string[] = [];
    const ask = async (tenant: string): Promise<number> => {
      const response = await fetch(address, { headers: { 'x-tenant': tenant } });
      await response.text();
      order.push(response.status === 200 ? tenant : `${tenant} refused`);
      return response.status;
    };
    const flood = Array.from({ length: 90 }, () => ask('flood'));
    await Promise.race(flood);
    const statuses = await Promise.all([...flood, ask('quiet')]);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // It came when some eighty waited: in order of arrival it would be the last.
    expect(order.indexOf('quiet')).toBeLessThan(80);
  });
});
