import { isBuiltin } from 'node:module';
import { DIALECT_NAMES } from '../../src/api/groups.ts';
import { ambientUses } from './ambient.ts';
import { cycleViolations } from './cycles.ts';
import { importsOf, type SourceFile, targetOf } from './imports.ts';
import { ACYCLIC, LAYERS, NODE_DIRECTORIES, SIBLINGS, TEST_FILE, TEST_SUPPORT } from './table.ts';

/**
 * Reports violations of the import table and direct uses of time and randomness, one sentence each. `dependencies` are
 * the packages that are installed with the product, without those for development.
 */
export function violations(files: readonly SourceFile[], dependencies: ReadonlySet<string>): string[] {
  return [
    ...files.flatMap((file) => [...importViolations(file, dependencies), ...ambientViolations(file)]),
    ...ACYCLIC.flatMap((root) => cycleViolations(root, files)),
  ];
}

/** Returns the layer of a file: two directories deep in an area of several layers, otherwise the first directory. */
function layerOf(path: string): string {
  const [, area = '', second = ''] = path.split('/');
  return area in LAYERS ? area : `${area}/${second}`;
}

function importViolations({ path, text }: SourceFile, dependencies: ReadonlySet<string>): string[] {
  if (!path.endsWith('.ts')) return [`${path}: source files end in .ts`];
  const layer = LAYERS[layerOf(path)];
  if (layer === undefined) return [`${path}: ${layerOf(path)} is not in the import table (tools/layers/table.ts)`];
  const found: string[] = [];
  for (const { specifier, line, typeOnly = false } of importsOf(path, text)) {
    const target = targetOf(path, specifier);
    const problem =
      target === undefined
        ? packageProblem(path, { specifier, typeOnly }, layer.browser === true, dependencies)
        : sourceProblem(path, target);
    if (problem !== undefined) found.push(`${path}:${line}: ${problem}`);
  }
  return found;
}

function sourceProblem(path: string, target: string): string | undefined {
  if (!target.startsWith('src/')) return TEST_FILE.test(path) ? undefined : `imports ${target}, outside src`;
  if (TEST_FILE.test(target) && !TEST_FILE.test(path)) return `imports the test ${target}`;
  const [from, to] = [layerOf(path), layerOf(target)];
  if (from === to) {
    const [mine, theirs] = [path.split('/'), target.split('/')];
    return SIBLINGS.some((folder) => isSibling(folder.split('/'), mine, theirs))
      ? `imports ${target}, a sibling`
      : undefined;
  }
  if (TEST_SUPPORT.test(path) && (to === 'testing' || to === 'api')) return undefined;
  const { may = [], groups = DIALECT_NAMES } = LAYERS[from] ?? {};
  if (!may.includes(to) && !may.includes(to.split('/')[0] ?? '')) return `${from} may not import ${to} (${target})`;
  const group = DIALECT_NAMES.find((each) => target.startsWith(`src/api/${each}/`));
  return group === undefined || groups.includes(group)
    ? undefined
    : `${from} may not import kinds of the API group ${group} (${target})`;
}

/**
 * Reports whether two paths are in different subdirectories of a directory whose subdirectories must not import each
 * other.
 */
function isSibling(folder: readonly string[], mine: readonly string[], theirs: readonly string[]): boolean {
  const depth = folder.length + 1;
  const inside = (path: readonly string[]) =>
    path.length > depth + 1 && folder.every((part, i) => path[i + 1] === part);
  return inside(mine) && inside(theirs) && mine[depth] !== theirs[depth];
}

/** Reports whether a file of src may use Node.js. */
export function mayImportNode(path: string): boolean {
  return NODE_DIRECTORIES.some((entry) => path === `src/${entry}` || path.startsWith(`src/${entry}/`));
}

function packageProblem(
  path: string,
  { specifier, typeOnly }: { readonly specifier: string; readonly typeOnly: boolean },
  browser: boolean,
  dependencies: ReadonlySet<string>,
): string | undefined {
  if (specifier.startsWith('/') || specifier.startsWith('file:')) return `imports ${specifier}, a path of one machine`;
  if (specifier === '<computed>') return 'imports a computed module name';
  if (browser && !TEST_FILE.test(path) && isBuiltin(specifier)) return `imports ${specifier}, which a browser lacks`;
  if (TEST_SUPPORT.test(path)) return undefined;
  if (isBuiltin(specifier)) {
    return typeOnly || mayImportNode(path)
      ? undefined
      : `imports ${specifier}: ${path} is not in NODE_USES (tools/layers/table.ts)`;
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (!dependencies.has(name)) return `imports ${name}, which is no dependency of the product`;
  return browser ? `imports ${name}: ${layerOf(path)} uses no package` : undefined;
}

/**
 * Reports direct uses of time and randomness outside src/platform/base. Tests control the clock themselves and may wait
 * for real processes.
 */
function ambientViolations({ path, text }: SourceFile): string[] {
  if (layerOf(path) === 'platform/base' || TEST_FILE.test(path) || layerOf(path) === 'testing') return [];
  return ambientUses(path, text).map(
    ({ what, line }) => `${path}:${line}: uses ${what}; take it from src/platform/base`,
  );
}
