import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateDirectory, tightenFile } from '#platform/kube/kubeconfig/private-file';

/** Our directories in a data directory. Everything else in it is left alone. */
const DIRECTORIES = new Set(['pki', 'objects', 'events']);
const FILES =
  /^(?:kubeconfig|running\.json|introduced|container-logs(?:\.new)?|folder\.lock(?:-journal)?|(?:objects|events)\.head)$/;

/** Names of everything that is the state of one cluster. The lock belongs to its directory instead. */
export const OWN_NAMES =
  /^(?:pki|objects|events|kubeconfig|running\.json|introduced|container-logs(?:\.new)?|(?:objects|events)\.head)$/;

/**
 * Creates a data directory, and revokes the permissions of other users on it and on what an earlier version left there.
 */
export function keepPrivate(dataDir: string): void {
  createPrivateDirectory(dataDir);
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    const path = join(dataDir, entry.name);
    if (entry.isFile() && FILES.test(entry.name)) tightenFile(path);
    if (!DIRECTORIES.has(entry.name) || !entry.isDirectory()) continue;
    createPrivateDirectory(path);
    for (const inner of readdirSync(path, { withFileTypes: true }))
      if (inner.isFile()) tightenFile(join(path, inner.name));
  }
}
