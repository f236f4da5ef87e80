import { posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export interface SourceFile {
  /** Path from the repository's root, such as src/platform/kube/client.ts. */
  readonly path: string;
  readonly text: string;
}

const BUILTIN_LOADER = 'getBuiltinModule';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** The import is of types only, so that no code remains of it. */
  readonly typeOnly?: boolean;
}

/**
 * Returns every module that a source file names: import, export from, import type, import(), require(),
 * import.meta.resolve and process.getBuiltinModule. A name that is not a literal is `<computed>`.
 */
export function importsOf(path: string, source: string): Import[] {
  const { program, module, errors } = parseSync(path, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const found: Import[] = [];
  const knownLoaders = new Set<number>();
  const add = (specifier: string, offset: number, typeOnly = false) =>
    found.push({ specifier, line: source.slice(0, offset).split('\n').length, typeOnly });
  for (const { moduleRequest, entries } of module.staticImports) {
    add(moduleRequest.value, moduleRequest.start, entries.length > 0 && entries.every(({ isType }) => isType));
  }
  new Visitor({
    ExportNamedDeclaration({ source: named }) {
      if (named !== null) add(named.value, named.start);
    },
    ExportAllDeclaration({ source: named }) {
      add(named.value, named.start);
    },
    ImportExpression({ source: named, start }) {
      add(named.type === 'Literal' && typeof named.value === 'string' ? named.value : '<computed>', start);
    },
    TSImportType({ source: named, start }) {
      add(named.value, start);
    },
    CallExpression({ callee, arguments: [named], start }) {
      const called = source.slice(callee.start, callee.end);
      const required = called === 'require' || called.startsWith('createRequire(');
      const isBuiltinLoader = /\bprocess\.getBuiltinModule$/.test(called);
      if (!required && !isBuiltinLoader && called !== 'import.meta.resolve') return;
      if (isBuiltinLoader) knownLoaders.add(callee.end);
      add(named?.type === 'Literal' && typeof named.value === 'string' ? named.value : '<computed>', start);
    },
    // Anything but a direct call passes the function on, to be called with any name.
    Identifier({ name, start, end }) {
      if (name !== BUILTIN_LOADER || knownLoaders.has(end)) return;
      // A shorthand property is two identifiers at one place.
      knownLoaders.add(end);
      add('<computed>', start);
    },
    Literal({ value, start }) {
      if (value === BUILTIN_LOADER) add('<computed>', start);
    },
  }).visit(program);
  return found;
}

/** Returns the file of src that a specifier names, or undefined for a package. */
export function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}.ts`;
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
}
