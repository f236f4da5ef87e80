import { accessSync, constants, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import { writeKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import { tightenFile } from '#platform/kube/kubeconfig/private-file';
import { LineFile } from './line-file.ts';

/** Appends audit lines without blocking anybody. Only the owner may read the file. */
export function openAuditLog(file: string, clock: Clock, log: Logger): (line: string) => void {
  let fd: number;
  try {
    fd = openSync(file, 'a', 0o600);
    tightenFile(file);
  } catch (cause) {
    throw new ConfigError(`the audit log cannot be written: ${(cause as Error).message}`, { cause });
  }
  const lines = new LineFile(fd, clock, log);
  return (line) => lines.write(line);
}

/** Rejects a path where the kubeconfig could not be written, before anything is started. It changes nothing. */
export function checkRequestedKubeconfig(file: string): void {
  let isDirectory: boolean;
  try {
    isDirectory = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
    const above = closestAbove(resolve(file));
    if (!statSync(above).isDirectory()) throw new Error(`${above} is not a directory`);
    accessSync(above, constants.W_OK);
  } catch (cause) {
    throw cannotWrite(cause);
  }
  if (!isDirectory) return;
  throw new ConfigError(`${file} is a directory, but --kubeconfig-out must be a file`, {
    hint: `For example: --kubeconfig-out ${join(file, 'kubeconfig')}`,
  });
}

/** Returns the closest existing ancestor of a path. Missing directories are created with the file. */
function closestAbove(path: string): string {
  const above = dirname(path);
  return above === path || statSync(above, { throwIfNoEntry: false }) !== undefined ? above : closestAbove(above);
}

function cannotWrite(cause: unknown): ConfigError {
  return new ConfigError(`the kubeconfig cannot be written: ${(cause as Error).message}`, { cause });
}

/** Writes the kubeconfig that the user requested. */
export function writeRequestedKubeconfig(file: string, content: Parameters<typeof writeKubeconfig>[1]): void {
  try {
    writeKubeconfig(file, content);
  } catch (cause) {
    throw cannotWrite(cause);
  }
}
