import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { expectRefusal } from './refusal.ts';
import { smallLog } from './small-log.ts';

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
  await sandbox.write('log.ndjson', smallLog({ requests: 1_200 }));
});
afterAll(() => sandbox.remove());

const AUDIT = ['audit', 'log.ndjson', '--slots', '2', '--json', '--policy'];

async function weightsUnder(policy: string): Promise<Record<string, number>> {
  await sandbox.write('policy.yaml', policy);
  const { code, stdout, stderr } = await sandbox.run([...AUDIT, 'policy.yaml']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  const [window] = JSON.parse(stdout).windows;
  return Object.fromEntries(window.tenants.map((one: { tenant: string; weight: number }) => [one.tenant, one.weight]));
}

describe('a policy file', () => {
  test('gives an audit its weights, 0 among them, in either form', async () => {
    const expected = { a: 0, b: 2, 中文: 1 };
    expect(await weightsUnder('weights: { a: 0, b: 2 }\n')).toEqual(expected);
    expect(await weightsUnder('fair_queue: { tenants: [{ name: a, weight: 0 }, { name: b, weight: 2 }] }\n')).toEqual(
      expected,
    );
    expect(await weightsUnder('discipline: drr\ntenants: [{ name: a, weight: 0 }, { name: b, weight: 2 }]\n')).toEqual(
      expected,
    );
  });

  test('that is wrong is refused with every mistake in one line', async () => {
    await sandbox.write('wrong.yaml', 'weights: { a: -1 }\ndisciplin: drr\n');
    expectRefusal(
      await sandbox.run([...AUDIT, 'wrong.yaml']),
      2,
      /policy "wrong\.yaml": weights\.a: must be a number ≥ 0, not -1; disciplin: .*did you mean "discipline".*EVS_POLICY/,
    );
    await sandbox.write('broken.yaml', 'weights: { a: 1\n');
    expectRefusal(
      await sandbox.run([...AUDIT, 'broken.yaml']),
      2,
      /policy "broken\.yaml": line 1, column 10: .*not closed/,
    );
  });

  test('has a schema for editors, beside that of the configuration', async () => {
    const { code, stdout, stderr } = await sandbox.run(['config', 'schema', '--policy']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const isValid = new Ajv().compile(JSON.parse(stdout));
    expect(isValid({ weights: { a: 2 }, discipline: 'drr' })).toBe(true);
    expect(isValid({ weights: { a: 2 }, disciplin: 'drr' })).toBe(false);
  });
});
