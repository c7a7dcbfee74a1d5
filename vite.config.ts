import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT_DIR = join(import.meta.dirname, 'dist/dashboards/web');

/** The built-in page: served by `dashboards/server.ts` from `dist/dashboards/web`. */
export default defineConfig({
  root: join(import.meta.dirname, 'dashboards/web'),
  // The page works under any path prefix that a proxy puts before it.
  base: './',
  plugins: [compressed()],
  build: {
    outDir: OUT_DIR,
    emptyOutDir: true,
    // The page's policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // ECharts' licence asks that its notice goes where its code goes.
    license: { fileName: 'assets/licenses.md' },
    // Charts are most of the page; it goes over the wire at a quarter of this.
    chunkSizeWarningLimit: 700,
  },
});

/** Puts `FILE.br` beside scripts and style sheets: the server sends it to browsers that take it, and compresses nothing itself. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async closeBundle() {
      const folder = join(OUT_DIR, 'assets');
      for (const file of await readdir(folder)) {
        if (!/\.(js|css)$/.test(file)) continue;
        const body = await readFile(join(folder, file));
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        await writeFile(join(folder, `${file}.br`), brotliCompressSync(body, { params }));
      }
    },
  };
}
