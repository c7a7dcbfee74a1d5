import { join } from 'node:path';
import { defineConfig } from 'vite';

/** The benchmarks as one plain script, so that Node runs what `tsc` would have shipped, without a loader in between. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    ssr: 'main.ts',
    // Below node_modules: ignored by version control, and packages are found from there.
    outDir: join(import.meta.dirname, '../../node_modules/.cache/evenshare-bench'),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: { output: { entryFileNames: 'main.mjs', codeSplitting: false } },
  },
});
