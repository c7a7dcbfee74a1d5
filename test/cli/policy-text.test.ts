import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diffPolicies, policyTerms } from '../../analytics/index.ts';
import { readPolicyFile } from '../../cli/commands/policy-store.ts';
import { diffJson, diffText, shellWord } from '../../cli/commands/policy-text.ts';
import { parsePolicy } from '../../scheduler-core/index.ts';

const terms = (source: unknown) => policyTerms(parsePolicy(source, { allowsZeroWeight: true }));

describe('what differs between two policies, as people read it', () => {
  const before = terms(`
tenants:
  - { name: a, weight: 2, quota: { rate_per_s: 5, burst: 1 }, class: batch }
  - { name: gone }
groups: { old: { weight: 3 } }
classes: { batch: { wait_budget: 5s } }
`);
  const after = terms(`
default_tenant: { weight: 2 }
tenants:
  - { name: a, weight: 0, group: corp, quota: { rate_per_s: 9, burst: 1.5, unit: cost, mode: hold } }
  - { name: same }
classes: { batch: { weight: 2, target: { ratio: 0.9, wait_below: 1s } } }
`);

  it('names every step', () => {
    expect(diffText(diffPolicies(before, after), 99)).toBe(`of      name         change   before → after
others  (not named)  changed  weight 1 → 2
tenant  a            changed  weight 2 → 0, group none → corp, class batch → none, quota 5/s burst 1 → 9/s of cost burst 1.5 held
tenant  gone         removed  weight 1 → 2
tenant  same         added    weight 1 → 2
group   corp         added    weight none → 1
group   old          removed  weight 3 → none
class   batch        changed  weight 1 → 2, wait budget 5000 ms → none, target none → 0.9 under 1000 ms
`);
  });

  it('says how much is left out, and that nothing differs', () => {
    expect(diffText(diffPolicies(before, after), 2).split('\n').slice(2)).toEqual([
      expect.stringMatching(/^tenant {2}a /),
      'and 5 more: --json has all of them',
      '',
    ]);
    expect(diffText(diffPolicies(after, after), 2)).toBe('no weight, group, class or quota differs\n');
    expect(diffText(diffPolicies(null, terms('weights: { a: 1 }')), 2)).toMatch(/added {3}weight 1 as before\n$/);
  });

  it('is plain JSON', () => {
    const json = diffJson(diffPolicies(before, after));
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
    expect(json.tenants[0]).toEqual({
      tenant: 'a',
      change: 'changed',
      before: {
        weight: 2,
        group: null,
        class: 'batch',
        quota: { rate_per_s: 5, burst: 1, unit: 'requests', mode: 'refuse' },
      },
      after: {
        weight: 0,
        group: 'corp',
        class: null,
        quota: { rate_per_s: 9, burst: 1.5, unit: 'cost', mode: 'hold' },
      },
    });
  });
});

describe('a word for a shell', () => {
  it.each([
    ['llm-a', 'llm-a'],
    ['my pool', "'my pool'"],
    ["it's; rm *", "'it'\\''s; rm *'"],
    ['-x', "'-x'"],
    ['\u001b[2J', "'\\u{1b}[2J'"],
  ])('%j is %s', (text, word) => {
    expect(shellWord(text)).toBe(word);
  });
});

describe('a policy file for the store', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const write = async (name: string, content: string | Uint8Array) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };

  it('keeps its text as it is, and is called by its own name or the file’s', async () => {
    const text = '\ufeff# 🦊\r\nweights: { a: 0 }\r\n';
    const read = await readPolicyFile(await write('p.yaml', text));
    expect([read.text, read.policy.name, read.policy.tenants.get('a')?.weight]).toEqual([text, 'p.yaml', 0]);
    expect((await readPolicyFile(await write('q.yaml', 'name: own'))).policy.name).toBe('own');
  });

  it('is refused in one line where it is no text, no policy or not there', async () => {
    const bytes = await write('bytes.yaml', Uint8Array.of(0x23, 0xff, 0x0a));
    await expect(readPolicyFile(bytes)).rejects.toThrow('is no UTF-8: save it as UTF-8');
    const bad = await write('bad.yaml', 'weights: { a: -1 }');
    await expect(readPolicyFile(bad)).rejects.toThrow('policy "bad.yaml": weights.a: must be a number ≥ 0, not -1');
    await expect(readPolicyFile(join(folder, 'absent'))).rejects.toMatchObject({ code: 'EVS_POLICY' });
  });
});
