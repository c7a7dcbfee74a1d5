// Copies what tsc does not: the numbered SQL of the store. Makes the command executable.
import { chmodSync, cpSync } from 'node:fs';

cpSync('analytics/schema', 'dist/analytics/schema', { recursive: true });
chmodSync('dist/cli/main.js', 0o755);
