import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RECIPES, type Recipe } from './recipes.ts';

/** Directory of the Go modules that programs are built in. */
export const MODULES = resolve(import.meta.dirname, 'go');

/** File beside a built program that says what it was built from. */
export const fingerprintFile = (folder: string, name: string) => join(folder, `.${name}.fingerprint`);

/** Returns what identifies a build: the recipe, and the source and the dependencies of its module. */
export function fingerprint(recipe: Recipe, modules = MODULES): string {
  const hash = createHash('sha256').update(JSON.stringify(recipe));
  const folder = join(modules, recipe.module);
  for (const name of globSync(['*.go', 'go.mod', 'go.sum'], { cwd: folder }).toSorted()) {
    hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex');
}

/** Reports whether a program that was built on this host was built from something else than what is here now. */
export function isOutdated(folder: string, name: string): boolean {
  const recipe: Recipe | undefined = Object.hasOwn(RECIPES, name) ? RECIPES[name as keyof typeof RECIPES] : undefined;
  const file = fingerprintFile(folder, name);
  return recipe !== undefined && existsSync(file) && readFileSync(file, 'utf8') !== fingerprint(recipe);
}
