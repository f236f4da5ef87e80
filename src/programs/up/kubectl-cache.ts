import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the directory in which kubectl caches the discovery documents of a server. */
export function discoveryCacheOf(url: string, env: Environment): string | undefined {
  const { KUBECACHEDIR: given, HOME: home } = env;
  const cache = given || (home ? join(home, '.kube', 'cache') : undefined);
  const address = new URL(url).host.replaceAll(/[^(\w.)]/g, '_');
  return cache === undefined ? undefined : join(cache, 'discovery', address);
}

/**
 * Deletes what kubectl has cached of an earlier server at the same address if `vm` means another group there. The short
 * name would otherwise keep its earlier meaning for hours. A cache that cannot be read or deleted is left alone.
 */
export function deleteStaleDiscovery(url: string, group: string, env: Environment = process.env): void {
  const directory = discoveryCacheOf(url, env);
  if (directory === undefined) return;
  try {
    const named = globSync('*/*/serverresources.json', { cwd: directory }).filter((file) =>
      isNamedVm(readFileSync(join(directory, file), 'utf8')),
    );
    const groups = new Set(named.map((file) => file.split(/[\\/]/)[0]));
    if (groups.size > 1 || (groups.size === 1 && !groups.has(group))) {
      rmSync(directory, { recursive: true, force: true });
    }
  } catch {
    // kubectl works without its cache, and so does the start.
  }
}

function isNamedVm(text: string): boolean {
  const { resources = [] } = JSON.parse(text) as {
    readonly resources?: readonly { readonly shortNames?: readonly string[] }[];
  };
  return resources.some(({ shortNames }) => shortNames?.includes('vm') === true);
}
