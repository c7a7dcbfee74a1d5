import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load-config.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenshare-config-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function load(text: string) {
  const path = join(folder, 'evenshare.yaml');
  await writeFile(path, text);
  return loadConfig(path, {});
}

describe('the tenants with lines of their own', () => {
  it('are 50 and none pinned, unless the pool or the defaults say otherwise', async () => {
    const config = await load(
      'pool_defaults: { top_tenants: 7 }\npools: { a: { pinned_tenants: [x, "中文"] }, b: { top_tenants: 500 } }',
    );
    expect(config.poolOptions('a')).toMatchObject({ topTenants: 7, pinnedTenants: ['x', '中文'] });
    expect(config.poolOptions('b')).toMatchObject({ topTenants: 500, pinnedTenants: [] });
    expect((await loadConfig(undefined, {})).poolOptions('a')).toMatchObject({ topTenants: 50, pinnedTenants: [] });
  });

  it.each([
    ['pools: { a: { top_tenants: 0 } }', /pools\.a\.top_tenants/],
    ['pools: { a: { top_tenants: 501 } }', /pools\.a\.top_tenants/],
    ['pools: { a: { top_tenants: 1.5 } }', /pools\.a\.top_tenants/],
    ['pools: { a: { pinned_tenants: x } }', /pools\.a\.pinned_tenants/],
    [
      'pools: { a: { top_tenants: 2, pinned_tenants: [x, y, z] } }',
      /pools\.a\.pinned_tenants: 3 tenants are pinned where top_tenants is 2: pin fewer, or raise top_tenants/,
    ],
    ['pool_defaults: { top_tenants: 1, pinned_tenants: [x, y] }', /pool_defaults\.pinned_tenants: 2 tenants/],
  ])('%s is refused with the place and how to mend it', async (text, message) => {
    await expect(load(text)).rejects.toMatchObject({ code: 'EVS_CONFIG', message: expect.stringMatching(message) });
  });
});
