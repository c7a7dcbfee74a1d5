import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const USE = `import { createScheduler, jainIndex, parsePolicy, type Policy, type Scheduler, simulate } from 'evenshare/scheduler-core';

const policy: Policy = parsePolicy('fair_queue: { tenants: [{ name: a, weight: 2 }, { name: b }] }');
const scheduler: Scheduler = createScheduler(policy, { nowMs: 0 });
scheduler.offer({ id: '1', tenant: 'a' }, 0);
const taken: string | undefined = scheduler.take(0)?.id;
const index: number | null = jainIndex([1, 3, 5]);
console.log(taken, index?.toFixed(3), typeof simulate);
`;

/** Of a statement at the start of a line, or a call; `from` in a text is none. */
const IMPORT = /^(?:import|export)\s(?:[\w$*{},\s]+\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

describe('the package in another project', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'evenshare-package-'));
    // Built before the tests run; nothing of this project's node_modules comes along.
    const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    const home = join(folder, 'node_modules/evenshare');
    mkdirSync(home, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, filename), '-C', home, '--strip-components=1']);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'use.ts'), USE);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('gives the scheduler core with its types, and nothing else is needed', () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: [] };
    const files = ['use.ts'];
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    execFileSync(process.execPath, [tsc, '-p', '.'], { cwd: folder, encoding: 'utf8' });
    const said = execFileSync(process.execPath, ['use.js'], { cwd: folder, encoding: 'utf8' });
    expect(said.trim()).toBe('1 0.771 function');
  });

  it('has a core that imports nothing but itself', () => {
    const core = join(folder, 'node_modules/evenshare/dist/scheduler-core');
    const files = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    expect(files.length).toBeGreaterThan(50);
    for (const file of files) {
      const text = readFileSync(join(core, file), 'utf8');
      for (const [, statement, call] of text.matchAll(IMPORT)) {
        expect(statement ?? call, file).toMatch(/^\.\.?\//);
      }
    }
  });

  it('brings the scenarios, the theory and the examples along', () => {
    const home = join(folder, 'node_modules/evenshare');
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /scenarios\/.*\.yaml$/.test(file)).length).toBeGreaterThanOrEqual(6);
    expect(files).toContain('scheduler-core/THEORY.md');
    expect(files.filter((file) => /^examples\/.*\.mjs$/.test(file))).toHaveLength(2);
  });
});
