import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_DIRECTORIES } from './files.ts';

/** Reports the differences of the generated files below a directory, one sentence each. */
export function differences(root: string, files: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    const file = join(root, path);
    if (!existsSync(file)) found.push(`${path} is missing`);
    else if (readFileSync(file, 'utf8') !== text) found.push(`${path} differs from what src/api says`);
  }
  return [...found, ...leftovers(root, files).map((path) => `${path} belongs to no kind`)];
}

export function leftovers(root: string, files: ReadonlyMap<string, string>): string[] {
  return GENERATED_DIRECTORIES.flatMap((folder) => globSync(`${folder}/*`, { cwd: root })).filter(
    (path) => !files.has(path),
  );
}
