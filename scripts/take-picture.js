// Makes the picture of the README: starts the demo in a folder of its own, waits for its hour, photographs the page.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const folder = mkdtempSync(join(tmpdir(), 'evenshare-picture-'));
const up = spawn(
  process.execPath,
  ['dist/cli/main.js', 'up', '--demo', '--json', '--port', '0', '--data-dir', folder],
  {
    stdio: ['ignore', 'pipe', 'ignore'],
  },
);
const exited = new Promise((resolve) => up.once('exit', resolve));
try {
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: up.stdout }).once('line', (line) => resolve(JSON.parse(line).address));
    up.once('exit', () => reject(new Error('the demo ended before it listened')));
  });
  const browser = await chromium.launch({
    executablePath: process.env.EVENSHARE_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1100 }, deviceScaleFactor: 1 });
  await page.goto(address);
  for (;;) {
    const pools = await (await fetch(`${address}/api/v1/pools`)).json();
    const demo = pools.pools[0];
    if (demo?.computed_to_ms && Date.now() - demo.computed_to_ms < 120_000) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await page.reload();
  await page.waitForTimeout(3_000);
  await page.screenshot({ path: 'docs/page.png' });
  await browser.close();
} finally {
  up.kill('SIGINT');
  await exited;
  rmSync(folder, { recursive: true, force: true });
}
