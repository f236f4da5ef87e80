import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createPrivateDirectory, writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import { defaultDataDir, userDataDir } from './default-data-dir.ts';
import { type RunFile, readRunFile } from './run-file.ts';

/** A `vimana up` that runs on this host. */
export interface Instance {
  readonly dataDir: string;
  readonly run: RunFile;
}

const registry = () => join(userDataDir(), 'instances');
const entryOf = (dataDir: string) =>
  join(registry(), `${createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)}.json`);

/**
 * Records where an instance has its data, so that other commands of the same user find it. An instance that cannot be
 * recorded runs all the same.
 */
export function registerInstance(dataDir: string): void {
  try {
    createPrivateDirectory(registry());
    writePrivateFile(entryOf(dataDir), `${JSON.stringify({ dataDir: resolve(dataDir) })}\n`);
  } catch {
    // The home directory may not be writable. `--data-dir` still finds the instance.
  }
}

export function unregisterInstance(dataDir: string): void {
  try {
    rmSync(entryOf(dataDir), { force: true });
  } catch {
    // A stale entry is ignored, because nothing holds its directory.
  }
}

/**
 * Returns the instances of this user that run, in the order of their directories. Only the lock of a data directory
 * counts: it ends with its process, so that neither a stale file nor a reused process ID can name another process.
 */
export function runningInstances(): Instance[] {
  return knownDirectories().flatMap((dataDir) => {
    const run = runIn(dataDir);
    return run === undefined ? [] : [{ dataDir, run }];
  });
}

/** Returns the data directories of this user's instances, also of those that were killed. */
export function knownDirectories(): string[] {
  return [...new Set([resolve(defaultDataDir('up')), ...registeredDirectories()])].sort();
}

/** Reads the run file of a directory. A directory that cannot be read is not one of this user's instances. */
function runIn(dataDir: string): RunFile | undefined {
  try {
    return readRunFile(dataDir);
  } catch {
    return undefined;
  }
}

function registeredDirectories(): string[] {
  if (!existsSync(registry())) return [];
  const files = readdirSync(registry()).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
  return files.flatMap((name) => {
    try {
      const { dataDir } = JSON.parse(readFileSync(join(registry(), name), 'utf8')) as { readonly dataDir?: unknown };
      return typeof dataDir === 'string' ? [dataDir] : [];
    } catch {
      return [];
    }
  });
}
