import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { ambientUses } from './ambient.ts';
import { importsOf } from './imports.ts';
import { LAYERS, SIBLINGS, TEST_FILE } from './table.ts';

export interface SourceFile {
  /** Path from the repository's root, such as src/kube/client.ts. */
  readonly path: string;
  readonly text: string;
}

/** What breaks the import table or reaches for time and chance, one sentence each. */
export function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [...importViolations(file), ...ambientViolations(file)]);
}

const layerOf = (path: string) => path.split('/')[1] ?? '';

function importViolations({ path, text }: SourceFile): string[] {
  const layer = LAYERS[layerOf(path)];
  if (layer === undefined) return [`${path}: ${layerOf(path)} is not in the import table (tools/layers/table.ts)`];
  const found: string[] = [];
  for (const { specifier, line } of importsOf(path, text)) {
    const problem = specifier.startsWith('.')
      ? relativeProblem(path, posix.join(posix.dirname(path), specifier))
      : packageProblem(path, specifier, layer.browser === true);
    if (problem !== undefined) found.push(`${path}:${line}: ${problem}`);
  }
  return found;
}

function relativeProblem(path: string, target: string): string | undefined {
  if (!target.startsWith('src/')) return TEST_FILE.test(path) ? undefined : `imports ${target}, outside src`;
  if (TEST_FILE.test(target) && !TEST_FILE.test(path)) return `imports the test ${target}`;
  const [from, to] = [layerOf(path), layerOf(target)];
  if (from === to) {
    const [mine, theirs] = [path.split('/'), target.split('/')];
    const nested = SIBLINGS.includes(from) && mine.length > 3 && theirs.length > 3;
    return nested && mine[2] !== theirs[2] ? `imports ${target}, a sibling` : undefined;
  }
  if (TEST_FILE.test(path) && to === 'testing') return undefined;
  return LAYERS[from]?.may.includes(to) === true ? undefined : `${from} may not import ${to} (${target})`;
}

function packageProblem(path: string, specifier: string, browser: boolean): string | undefined {
  if (specifier === '<computed>') return 'names a module that only running it would tell';
  if (browser && !TEST_FILE.test(path) && isBuiltin(specifier)) return `imports ${specifier}, which a browser lacks`;
  return undefined;
}

/** Tests hold the clock themselves and may wait for real processes; the one place for both otherwise is src/base. */
function ambientViolations({ path, text }: SourceFile): string[] {
  if (layerOf(path) === 'base' || TEST_FILE.test(path) || layerOf(path) === 'testing') return [];
  return ambientUses(path, text).map(({ what, line }) => `${path}:${line}: uses ${what}; take it from src/base`);
}
