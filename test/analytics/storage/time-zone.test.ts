import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleProgram, SCHEMA_DIRECTORY, startProgram } from '../../support/child-program.ts';

describe('the zone of the machine', () => {
  let script: string;
  beforeAll(async () => {
    script = await bundleProgram(join(import.meta.dirname, 'children/windows-in-zone.ts'));
  });

  async function windowsIn(zone: string): Promise<{ zone: string; windows: string[] }> {
    const program = startProgram(script, [SCHEMA_DIRECTORY], { TZ: zone });
    const [seen, ...windows] = [
      await program.nextLine(),
      await program.nextLine(),
      await program.nextLine(),
      await program.nextLine(),
    ];
    await program.finish();
    return { zone: seen ?? '', windows };
  }

  it('changes no window by a byte', async () => {
    const [utc, kathmandu] = await Promise.all([windowsIn('UTC'), windowsIn('Asia/Kathmandu')]);
    expect(utc.zone).toBe('UTC 1970-01-01 00:00:00 0');
    expect(kathmandu.zone, 'the engine and the process really are elsewhere').toBe(
      'Asia/Kathmandu 1970-01-01 05:30:00 -330',
    );
    for (const line of utc.windows) expect(JSON.parse(line).length).toBeGreaterThan(0);
    expect(kathmandu.windows).toEqual(utc.windows);
  });
});
