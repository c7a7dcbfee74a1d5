import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readText } from './compose-file.ts';
import { dockerfileStages } from './dockerfile.ts';

const stages = dockerfileStages(readText('Dockerfile'));
const [build = [], dependencies = [], image = []] = stages;
const all = (stage: typeof image, name: string): string[] =>
  stage.filter((instruction) => instruction.name === name).map(({ rest }) => rest);

describe('the image', () => {
  it('is made in three stages, all of one pinned Node on glibc', () => {
    const bases = stages.map((stage) => all(stage, 'FROM')[0]?.split(' ')[0]);
    expect(bases).toHaveLength(3);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim$/);
  });

  it('runs a Node that the package allows', () => {
    const { engines }: { engines: { node: string } } = JSON.parse(readText('package.json'));
    expect(engines.node).toBe('>=20.19');
    const [major = 0, minor = 0] = (/node:(\d+)\.(\d+)/.exec(all(image, 'FROM')[0] ?? '') ?? []).slice(1).map(Number);
    expect(major > 20 || (major === 20 && minor >= 19)).toBe(true);
  });

  it('builds from the lock file, and keeps neither compilers nor the embedded engine', () => {
    expect(all(build, 'RUN')).toEqual(['npm ci --no-audit --no-fund', 'npm run build']);
    expect(all(dependencies, 'RUN')).toEqual(['npm ci --omit=dev --omit=optional --no-audit --no-fund']);
    expect(all(image, 'RUN')).toEqual(['install -d -o 1000 -g 1000 /var/lib/evenshare/reports']);
  });

  it('holds what was built, the run-time packages and the licence, nothing else of the project', () => {
    expect(all(image, 'COPY')).toEqual([
      '--from=dependencies /app/node_modules ./node_modules',
      '--from=build /src/dist ./dist',
      'package.json LICENSE NOTICE ./',
    ]);
  });

  it('is not root', () => {
    expect(all(image, 'USER')).toEqual(['1000:1000']);
  });

  it('is the command', () => {
    expect(all(image, 'ENTRYPOINT')).toEqual(['["node", "dist/cli/main.js"]']);
    const { bin }: { bin: { evenshare: string } } = JSON.parse(readText('package.json'));
    expect(bin.evenshare).toBe('dist/cli/main.js');
  });

  it('takes nothing secret into its layers', () => {
    for (const stage of stages) {
      const words = [...all(stage, 'ENV'), ...all(stage, 'ARG')];
      expect(words.filter((word) => /PASSWORD|TOKEN|SECRET/i.test(word))).toEqual([]);
    }
  });

  it('sees only what .dockerignore lets through, all of which is there', () => {
    const lines = readText('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(allowed.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(allowed.filter((path) => /env|data|\.git|node_modules|^test/.test(path))).toEqual([]);
    // Everything that one of the two stages copies by name.
    const copied = [...all(dependencies, 'COPY'), ...all(image, 'COPY')]
      .filter((words) => !words.startsWith('--from'))
      .flatMap((words) => words.split(' ').slice(0, -1));
    expect(copied.filter((path) => !allowed.includes(path))).toEqual([]);
  });
});

describe('the health check', () => {
  const [, words = '[]'] = /CMD (\[.*\])$/.exec(all(image, 'HEALTHCHECK')[0] ?? '') ?? [];
  const command: string[] = JSON.parse(words);

  it.each([
    [200, 0],
    [503, 1],
  ])('turns the answer %i into the exit code %i', async (status, exitCode) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(status).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      expect(await exitCodeOf(command, port)).toBe(exitCode);
      expect(asked).toEqual(['/readyz']);
    } finally {
      server.close();
    }
  });

  it('fails where nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    server.close();
    await once(server, 'close');
    expect(await exitCodeOf(command, port)).toBe(1);
  });
});

/** Runs the check as the container would, against another port. */
async function exitCodeOf([program, ...args]: readonly string[], port: number): Promise<number> {
  expect(program).toBe('node');
  expect(args.join(' ')).toContain(':8484/');
  const onPort = args.map((word) => word.replace(':8484/', `:${port}/`));
  const child = spawn(process.execPath, onPort, { stdio: 'ignore' });
  const [code]: unknown[] = await once(child, 'close');
  return Number(code);
}
