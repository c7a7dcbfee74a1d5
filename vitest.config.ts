import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    // The results beside the report, so that CI can close with one plain line.
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/evenshare-test/results.json' }]],
    globalSetup: ['test/support/report-absent-parts.ts'],
  },
});
