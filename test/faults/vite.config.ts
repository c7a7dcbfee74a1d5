import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

/** The harness and the store of its processes as plain scripts, so that Node runs them without a loader in between. */
export default defineConfig({
  root: ROOT,
  plugins: [
    {
      // Plain scripts already, with files beside them.
      name: 'kafka-scripts-stay',
      enforce: 'pre',
      resolveId: (id) => {
        const name = /\/scripts\/kafka\/(.+)$/.exec(id)?.[1];
        if (name === undefined) return null;
        return { id: pathToFileURL(join(ROOT, 'scripts/kafka', name)).href, external: true };
      },
    },
  ],
  build: {
    ssr: true,
    // Below node_modules: ignored by version control, and packages are found from there.
    outDir: join(ROOT, 'node_modules/.cache/evenshare-faults'),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      input: {
        main: join(import.meta.dirname, 'main.ts'),
        store: join(ROOT, 'test/support/clickhouse-http/program.ts'),
      },
      output: { entryFileNames: '[name].mjs' },
    },
  },
});
