import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDirectoryLocked } from '#control-plane/apiserver/store/directory-lock';
import { writePrivateFile } from '#platform/kube/kubeconfig/private-file';

/** Description of a running `vimana up` in its data directory. */
export interface RunFile {
  readonly pid: number;
  readonly startedAt: string;
  readonly url: string;
  readonly kubeconfig: string;
  readonly metrics: string;
  readonly health: string;
  /** URL of the exporter. Absent if it is off. */
  readonly exporter?: string;
  /** File with the token for HTTP clients of other users, who may change state with it. */
  readonly tokenFile?: string;
  /** Objects are stored in memory only. */
  readonly ephemeral?: boolean;
}

const path = (directory: string) => join(directory, 'running.json');

export function writeRunFile(directory: string, run: RunFile): void {
  writePrivateFile(path(directory), `${JSON.stringify(run, undefined, 2)}\n`);
}

export function removeRunFile(directory: string): void {
  rmSync(path(directory), { force: true });
}

/** Reads the file of the process that holds the directory. A file left by a killed process does not count. */
export function readRunFile(directory: string): RunFile | undefined {
  if (!isDirectoryLocked(directory)) return undefined;
  try {
    return JSON.parse(readFileSync(path(directory), 'utf8')) as RunFile;
  } catch {
    return undefined;
  }
}
