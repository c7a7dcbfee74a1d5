// Copies what tsc does not: the numbered SQL of the store, the templates and texts of the reports, the scenarios. Makes the command executable.
import { chmodSync, cpSync } from 'node:fs';

cpSync('analytics/schema', 'dist/analytics/schema', { recursive: true });
for (const folder of ['templates', 'locales'])
  cpSync(`reports/${folder}`, `dist/reports/${folder}`, { recursive: true });
cpSync('test/scenarios', 'dist/scenarios', {
  recursive: true,
  filter: (path) => !/\.[^/]*$/.test(path) || path.endsWith('.yaml'),
});
chmodSync('dist/cli/main.js', 0o755);
