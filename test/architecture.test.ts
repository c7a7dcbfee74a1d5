import { describe, expect, it } from 'vitest';
import { addEdge, cycles, reach } from './support/import-graph.ts';
import { type Found, parseSource, readSources, type SourceFile } from './support/source-files.ts';

const PACKAGES = ['scheduler-core', 'analytics', 'ingest', 'reports', 'dashboards', 'cli'];

/** Files through which one part of the product sees another. */
const CORE = 'scheduler-core/index.ts';
const KERNEL = 'scheduler-core/kernel/index.ts';
const STORAGE = 'analytics/storage/index.ts';
const DOORS = [
  CORE,
  KERNEL,
  STORAGE,
  ...['analytics', 'ingest', 'reports', 'dashboards'].flatMap((name) => [`${name}/index.ts`, `${name}/config.ts`]),
];

/** Who may see what beyond itself: the first row whose folder holds the file counts. */
const LAYERS: readonly { readonly from: string; readonly mayImport: readonly string[]; readonly typesOnly?: true }[] = [
  { from: 'scheduler-core/', mayImport: [] },
  { from: 'analytics/storage/', mayImport: [KERNEL] },
  { from: 'analytics/', mayImport: [STORAGE, CORE] },
  { from: 'ingest/', mayImport: [STORAGE, KERNEL] },
  { from: 'reports/', mayImport: ['analytics/index.ts', CORE] },
  { from: 'dashboards/web/', mayImport: ['dashboards/api-schema.ts'], typesOnly: true },
  { from: 'dashboards/', mayImport: ['analytics/index.ts', 'reports/index.ts'] },
  { from: 'cli/', mayImport: DOORS },
];

/** What the core is made of, from the bottom: a folder sees only those before it. */
const CORE_ORDER = [
  'kernel',
  'policy',
  'share',
  'queue',
  'admission',
  'guard',
  'control',
  'scheduler',
  'simulate',
  'replay',
];

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

function layerOf(path: string) {
  return LAYERS.find(({ from }) => path.startsWith(from));
}

function importFaults(source: SourceFile): string[] {
  const layer = layerOf(source.path);
  if (layer === undefined) return [`${source.path} belongs to no layer`];
  return source.imports.flatMap(({ line, path, specifier, isTypeOnly }) => {
    const at = `${source.path}:${line} imports ${specifier}`;
    if (path === null) return [];
    if (!path.endsWith('.ts') && !path.endsWith('.css')) return [`${at}: relative imports end in .ts`];
    if (path.startsWith('test/')) return [`${at}: nothing imports test`];
    if (layerOf(path) === layer) return [];
    if (!layer.mayImport.includes(path))
      return [`${at}: ${layer.from} may import ${layer.mayImport.join(', ') || 'nothing'}`];
    return layer.typesOnly === true && !isTypeOnly ? [`${at}: only its types`] : [];
  });
}

/**
 * Edges between files, and between folders that lie side by side. A folder and the one that holds it may share files, and
 * a file that leads to no folder beside its own (a shape, a list of names) may be seen from beside it.
 */
function graphs(sources: readonly SourceFile[]) {
  const files = new Map<string, Set<string>>();
  const folders = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const { path } of source.imports) if (path !== null) addEdge(files, source.path, path);
  }
  for (const [path, targets] of files) {
    for (const target of targets) {
      const [from, to] = [folderOf(path), folderOf(target)];
      if (from.startsWith(to) || to.startsWith(from)) continue;
      const leadsOn = reach(files, target).some(
        (each) => !to.startsWith(folderOf(each)) && layerOf(each) === layerOf(target),
      );
      if (leadsOn) addEdge(folders, from, to);
    }
  }
  return { files, folders };
}

type Rule = {
  readonly why: string;
  readonly find: (source: SourceFile) => readonly Found[];
  /** Files that may, each for a reason of its own. */
  readonly except: (path: string) => boolean;
};

const isOneOf = (names: readonly string[]) => (found: Found) => names.includes(found.text);
const imports = (matches: (specifier: string) => boolean) => (source: SourceFile) =>
  source.imports.flatMap(({ line, specifier }) => (matches(specifier) ? [{ line, text: `import ${specifier}` }] : []));

/** The emitter lives in other people's processes: it has no shell that could hand in a clock. */
const EMITTER_PARTS = 'ingest/emit/system-parts.ts';

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
/** Only what starts a statement: words of prose are no SQL. */
const SQL = /^\s*(SELECT|INSERT INTO|ALTER TABLE|CREATE |DROP |DELETE FROM|OPTIMIZE TABLE|TRUNCATE )/;

const RULES: readonly Rule[] = [
  {
    why: 'time comes in as an argument or a Clock; the real one is in cli/clock.ts',
    find: (source) => [
      ...source.members.filter(isOneOf(['Date.now', 'performance.now', 'process.hrtime'])),
      ...source.calls.filter(isOneOf(['new Date', 'Date'])),
    ],
    // The page ages what it shows by the browser's own clock.
    except: (path) => path.startsWith('cli/') || path.startsWith('dashboards/web/') || path === EMITTER_PARTS,
  },
  {
    why: 'chance comes in as a seeded Random',
    find: (source) => source.members.filter(isOneOf(['Math.random'])),
    except: () => false,
  },
  {
    why: 'the environment is read once, in cli/main.ts',
    find: (source) => source.members.filter(isOneOf(['process.env', 'process.argv'])),
    except: (path) => path.startsWith('cli/'),
  },
  {
    why: 'timers are the shell’s',
    find: (source) => [
      ...source.calls.filter(isOneOf(TIMERS)),
      ...source.members.filter(
        isOneOf(['globalThis', 'window'].flatMap((on) => TIMERS.map((timer) => `${on}.${timer}`))),
      ),
      ...imports((specifier) => specifier.startsWith('node:timers'))(source),
    ],
    except: (path) =>
      path.startsWith('cli/') ||
      path === 'dashboards/web/refresh-loop.ts' ||
      path === EMITTER_PARTS ||
      // No timers: they give other work of the process its turn while a file is unpacked, or a batch is counted.
      path === 'ingest/sources/file-source.ts' ||
      path === 'ingest/batch/write-batch.ts',
  },
  {
    why: 'SQL stands under analytics only',
    find: (source) => source.texts.filter(({ text }) => SQL.test(text)),
    except: (path) =>
      path.startsWith('analytics/storage/') ||
      path.startsWith('analytics/queries/') ||
      // Reads back what the intake itself stores, into its own event: analytics does not know events.
      path === 'ingest/batch/existing-requests.ts',
  },
  {
    why: 'the client is behind one door',
    find: imports((specifier) => specifier.startsWith('@clickhouse/')),
    except: (path) => path.startsWith('analytics/storage/'),
  },
  {
    why: 'the engine is optional and loaded in one place',
    find: imports((specifier) => specifier.startsWith('chdb')),
    except: (path) => path === 'analytics/storage/chdb-connection.ts',
  },
  {
    why: 'the core knows no system',
    find: imports((specifier) => !specifier.startsWith('.')),
    except: (path) => !path.startsWith('scheduler-core/'),
  },
  { why: 'what a door lets out is deliberate', find: (source) => source.wholesaleExports, except: () => false },
  { why: 'exports have names', find: (source) => source.defaultExports, except: () => false },
];

const sources = readSources(PACKAGES);

describe('the house', () => {
  it('imports only downwards and through doors', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap(importFaults)).toEqual([]);
  });

  it('has no import that comes back to where it started', () => {
    const { files, folders } = graphs(sources);
    expect(cycles(files)).toEqual([]);
    expect(cycles(folders)).toEqual([]);
  });

  it('builds the core from the bottom up', () => {
    const level = (path: string): number => CORE_ORDER.indexOf(path.split('/')[1] ?? '');
    const faults = sources
      .filter(({ path }) => path.startsWith('scheduler-core/') && level(path) >= 0)
      .flatMap((source) =>
        source.imports.flatMap(({ line, path, specifier }) =>
          path !== null && path !== 'scheduler-core/model.ts' && (level(path) < 0 || level(path) > level(source.path))
            ? [`${source.path}:${line} imports ${specifier}`]
            : [],
        ),
      );
    expect(faults).toEqual([]);
  });

  it.each(RULES)('$why', ({ find, except }) => {
    const faults = sources
      .filter(({ path }) => !except(path))
      .flatMap((source) => find(source).map(({ line, text }) => `${source.path}:${line}: ${text.trim().slice(0, 60)}`));
    expect(faults).toEqual([]);
  });

  it('names files for what is in them', () => {
    const vague = sources.map(({ path }) => path).filter((path) => /\/(utils?|helpers?|misc|common)\.ts$/.test(path));
    expect(vague).toEqual([]);
  });
});

describe('the rules themselves see', () => {
  const faultsOf = (path: string, text: string): string[] => {
    const source = parseSource(path, text);
    return [
      ...importFaults(source),
      ...RULES.filter((rule) => !rule.except(path) && rule.find(source).length > 0).map((rule) => rule.why),
    ];
  };

  it.each([
    ['scheduler-core/share/x.ts', "import { readFile } from 'node:fs/promises';", 'a core that reads files'],
    ['scheduler-core/share/x.ts', "import { x } from '../../analytics/index.ts';", 'an upward import'],
    ['analytics/storage/x.ts', "import { x } from '../window/bounds.ts';", 'storage that knows windows'],
    ['analytics/window/x.ts', "import { x } from '../storage/rows.ts';", 'a door passed by'],
    ['ingest/x.ts', "import type { Window } from '../analytics/index.ts';", 'an intake that knows windows'],
    ['dashboards/web/x.ts', "import { x } from '../api-schema.ts';", 'a page that takes code along'],
    ['ingest/x.ts', "export { x } from '../test/support/x.ts';", 'a re-export from test'],
    ['ingest/x.ts', "const x = await import('chdb/connection');", 'a second place that loads the engine'],
    ['ingest/x.ts', "type X = import('@clickhouse/client').ClickHouseClient;", 'the client as a type'],
    ['ingest/x.ts', "import { x } from './event/y';", 'an import without its ending'],
    ['ingest/x.ts', "export * from './event/y.ts';", 'a wholesale export'],
    ['ingest/x.ts', 'export default 1;', 'an export without a name'],
    ['ingest/x.ts', 'const now = Date.now;', 'a clock taken along'],
    ['ingest/x.ts', 'const now = new Date();', 'a clock by another name'],
    ['ingest/x.ts', 'const env = process["env"];', 'the environment by another name'],
    ['ingest/x.ts', 'globalThis.setTimeout(() => {}, 1);', 'a timer by another name'],
    ['ingest/x.ts', `const sql = \`INSERT INTO \${table} SELECT 1\`;`, 'SQL in a template'],
    ['cli/x.ts', 'const x = Math.random();', 'chance in the shell'],
  ])('%s: %s (%s)', (path, text) => {
    expect(faultsOf(path, text)).toHaveLength(1);
  });

  it.each([
    ['cli/x.ts', 'const now = Date.now();', 'the shell has a clock'],
    ['dashboards/web/x.ts', "import type { Window } from '../api-schema.ts';", 'the page knows shapes'],
    ['ingest/x.ts', "// SELECT, Date.now()\nconst say = 'a row to SELECT';", 'words of prose'],
    ['analytics/window/x.ts', "import { x } from '../queries/y.ts';", 'the way down'],
  ])('nothing in %s: %s (%s)', (path, text) => {
    expect(faultsOf(path, text)).toEqual([]);
  });

  it('cycles of any length, and none where there is none', () => {
    const edges = (...pairs: readonly (readonly [string, string])[]) => {
      const map = new Map<string, Set<string>>();
      for (const [from, to] of pairs) addEdge(map, from, to);
      return map;
    };
    expect(cycles(edges(['a', 'b'], ['b', 'c'], ['c', 'a'], ['a', 'd']))).toEqual(['a → b → c → a']);
    expect(cycles(edges(['a', 'b'], ['a', 'c'], ['b', 'd'], ['c', 'd']))).toEqual([]);
    expect(cycles(edges(['a', 'a']))).toEqual(['a → a']);
  });
});
