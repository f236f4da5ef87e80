import { importsOf, type SourceFile, targetOf } from '../layers/imports.ts';

/** Maps a file to the files that import it, types aside. */
export type Importers = ReadonlyMap<string, ReadonlySet<string>>;

export function importersOf(files: readonly SourceFile[]): Importers {
  const importers = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const { specifier, typeOnly } of importsOf(path, text)) {
      const target = typeOnly === true ? undefined : targetOf(path, specifier);
      if (target === undefined) continue;
      const known = importers.get(target);
      if (known === undefined) importers.set(target, new Set([path]));
      else known.add(path);
    }
  }
  return importers;
}

/**
 * Returns the tests that import a file directly or through others, the likeliest to notice a change first: its own, and
 * then those that are near it in the graph of imports and, which counts twice, in the tree.
 */
export function relatedTests(path: string, importers: Importers, isTest: (path: string) => boolean): string[] {
  const distances = new Map([[path, 0]]);
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  const own = path.replace(/\.ts$/, '.test.ts');
  const rank = (test: string) =>
    test === own ? Number.NEGATIVE_INFINITY : (distances.get(test) ?? 0) - 2 * sharedDepth(path, test);
  return [...distances.keys()].filter(isTest).toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Returns how many directories two paths share. */
function sharedDepth(a: string, b: string): number {
  const others = b.split('/');
  const different = a.split('/').findIndex((part, index) => part !== others[index]);
  return different === -1 ? others.length : different;
}
