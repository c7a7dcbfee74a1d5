import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

const ROOT = join(import.meta.dirname, '../..');

export interface ImportedModule {
  readonly line: number;
  /** As it stands in the source. */
  readonly specifier: string;
  /** From the root of the project for relative specifiers; null for packages. */
  readonly path: string | null;
  readonly isTypeOnly: boolean;
}

/** A piece of syntax that a rule may be about. */
export interface Found {
  readonly line: number;
  readonly text: string;
}

export interface SourceFile {
  /** From the root of the project, with `/`. */
  readonly path: string;
  readonly imports: readonly ImportedModule[];
  /** `a.b` of every member access whose parts are plain names. */
  readonly members: readonly Found[];
  /** Names of functions that are called by a plain name. */
  readonly calls: readonly Found[];
  /** Text of string literals and the fixed parts of templates. */
  readonly texts: readonly Found[];
  /** `export *`. */
  readonly wholesaleExports: readonly Found[];
  readonly defaultExports: readonly Found[];
}

/** The TypeScript sources below folders of the project, parsed, in the order of their paths; none where there is no folder. */
export function readSources(folders: readonly string[]): SourceFile[] {
  const present = folders.filter((folder) => existsSync(join(ROOT, folder)));
  return present.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => {
        const path = join(folder, name);
        return parseSource(path, readFileSync(join(ROOT, path), 'utf8'));
      }),
  );
}

/** One source by its text; throws where it does not parse. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const imports: ImportedModule[] = [];
  const addImport = (start: number, specifier: string, isTypeOnly: boolean): void => {
    const target = specifier.startsWith('.') ? relative(ROOT, join(ROOT, dirname(path), specifier)) : null;
    imports.push({ line: lineAt(start), specifier, path: target, isTypeOnly });
  };
  for (const { start, moduleRequest, entries } of module.staticImports) {
    addImport(start, moduleRequest.value, entries.length > 0 && entries.every((entry) => entry.isType));
  }
  const wholesaleExports: Found[] = [];
  const defaultExports: Found[] = [];
  for (const { start, entries } of module.staticExports) {
    for (const { moduleRequest, importName, exportName, isType } of entries) {
      if (moduleRequest !== null) addImport(start, moduleRequest.value, isType);
      if (importName.kind === 'AllButDefault') wholesaleExports.push({ line: lineAt(start), text: 'export *' });
      if (exportName.kind === 'Default') defaultExports.push({ line: lineAt(start), text: 'export default' });
    }
  }
  const members: Found[] = [];
  const calls: Found[] = [];
  const texts: Found[] = [];
  new Visitor({
    ImportExpression({ start, source }) {
      if (source.type !== 'Literal') throw new Error(`${path}:${lineAt(start)}: import() of no fixed module`);
      addImport(start, String(source.value), false);
    },
    TSImportType({ start, source }) {
      addImport(start, source.value, true);
    },
    MemberExpression({ start, object, property, computed }) {
      if (object.type !== 'Identifier') return;
      if (property.type === 'Identifier' && !computed) {
        members.push({ line: lineAt(start), text: `${object.name}.${property.name}` });
      }
      if (property.type === 'Literal') {
        members.push({ line: lineAt(start), text: `${object.name}.${property.value}` });
      }
    },
    CallExpression({ start, callee }) {
      if (callee.type === 'Identifier') calls.push({ line: lineAt(start), text: callee.name });
    },
    NewExpression({ start, callee, arguments: given }) {
      if (callee.type === 'Identifier' && given.length === 0) {
        calls.push({ line: lineAt(start), text: `new ${callee.name}` });
      }
    },
    Literal({ start, value }) {
      if (typeof value === 'string') texts.push({ line: lineAt(start), text: value });
    },
    TemplateElement({ start, value }) {
      texts.push({ line: lineAt(start), text: value.raw });
    },
  }).visit(program);
  return { path, imports, members, calls, texts, wholesaleExports, defaultExports };
}
