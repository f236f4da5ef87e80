import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateDirectory, tightenFile } from '#platform/kube/kubeconfig/private-file';

/** What a data directory holds of ours; whatever else is in it is none of our business. */
const FOLDERS = new Set(['pki', 'objects', 'events']);
const FILES =
  /^(?:kubeconfig|running\.json|introduced|container-logs(?:\.new)?|folder\.lock(?:-journal)?|(?:objects|events)\.head)$/;

/** All that is the state of one cluster; the lock is its directory's. */
export const OWN_NAMES =
  /^(?:pki|objects|events|kubeconfig|running\.json|introduced|container-logs(?:\.new)?|(?:objects|events)\.head)$/;

/** Makes a data directory, and takes from others what they may do with it and with what an earlier version left there. */
export function keepPrivate(dataDir: string): void {
  createPrivateDirectory(dataDir);
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    const path = join(dataDir, entry.name);
    if (entry.isFile() && FILES.test(entry.name)) tightenFile(path);
    if (!FOLDERS.has(entry.name) || !entry.isDirectory()) continue;
    createPrivateDirectory(path);
    for (const inner of readdirSync(path, { withFileTypes: true }))
      if (inner.isFile()) tightenFile(join(path, inner.name));
  }
}
