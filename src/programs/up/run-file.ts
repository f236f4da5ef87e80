import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '#control-plane/apiserver/store/folder-lock';
import { StoreError } from '#control-plane/apiserver/store/store-error';
import { writePrivateFile } from '#platform/kube/kubeconfig/private-file';

/** What a running `vimana up` says of itself in its data folder. */
export interface RunFile {
  readonly pid: number;
  readonly startedAt: string;
  readonly url: string;
  readonly kubeconfig: string;
  readonly metrics: string;
  readonly health: string;
  /** Where the exporter is; absent where it is not on. */
  readonly exporter?: string;
  /** Has the token with which others than its user may change something by HTTP. */
  readonly tokenFile?: string;
  /** Its objects are in memory alone. */
  readonly ephemeral?: boolean;
}

const path = (folder: string) => join(folder, 'running.json');

export function writeRunFile(folder: string, run: RunFile): void {
  writePrivateFile(path(folder), `${JSON.stringify(run, undefined, 2)}\n`);
}

export function removeRunFile(folder: string): void {
  rmSync(path(folder), { force: true });
}

/** Of the process that holds the folder at present; a file that a killed one left behind does not count. */
export function readRunFile(folder: string): RunFile | undefined {
  if (!isRunning(folder)) return undefined;
  try {
    return JSON.parse(readFileSync(path(folder), 'utf8')) as RunFile;
  } catch {
    return undefined;
  }
}

/** Whether a process holds the folder. */
export function isRunning(folder: string): boolean {
  if (!existsSync(folder)) return false;
  try {
    lockFolder(folder)();
    return false;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'FolderInUse') return true;
    throw error;
  }
}
