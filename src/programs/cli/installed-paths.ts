import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Directory of the package if it was installed by npm, undefined in a clone, which has the source. */
const INSTALLED = existsSync(resolve(ROOT, 'src')) ? undefined : ROOT;

/**
 * Adapts suggested commands, which are written for a user in a clone, to an installed package: there, `vimana` is in
 * PATH, and examples and manifests are in the directory of the package.
 */
export function withInstalledPaths(text: string, root = INSTALLED): string {
  if (root === undefined) return text;
  return text.replaceAll('bin/vimana', 'vimana').replaceAll(/(?<=[ =])(examples|deploy)(?=[/ ])/g, `${root}/$1`);
}
