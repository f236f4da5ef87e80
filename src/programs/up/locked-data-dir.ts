import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { lockDirectory } from '#control-plane/apiserver/store/directory-lock';
import { StoreError } from '#control-plane/apiserver/store/store-error';
import { createPrivateDirectory } from '#platform/kube/kubeconfig/private-file';
import type { UpSettings } from '#programs/cli/up';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { removeRunFile } from '#programs/instances/run-file';
import { withStartExplanation } from './data-dir.ts';

export interface LockedDataDir {
  readonly dataDir: string;
  readonly release: () => void;
}

/** Locks the data directory. An ephemeral process uses a temporary one if the default is in use. */
export function lockDataDir({ dataDir: given, ephemeral }: UpSettings): LockedDataDir {
  const dataDir = resolve(given ?? defaultDataDir('up'));
  try {
    createPrivateDirectory(dataDir);
    const release = lockDirectory(dataDir);
    // The file of a killed process names a process ID that another process may have by now.
    removeRunFile(dataDir);
    return { dataDir, release };
  } catch (error) {
    const isTaken = error instanceof StoreError && error.code === 'FolderInUse';
    if (!isTaken || !ephemeral || given !== undefined) throw withStartExplanation(error, dataDir);
    const scratch = mkdtempSync(join(tmpdir(), 'vimana-up-'));
    const release = lockDirectory(scratch);
    return {
      dataDir: scratch,
      release: () => {
        release();
        rmSync(scratch, { recursive: true, force: true });
      },
    };
  }
}
