import { closeSync, existsSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { createDirectory } from '#platform/base/directory';
import { ConfigError } from '#platform/base/errors';
import { writePrivateFile } from './private-file.ts';

const MAX_LOCK_MS = 5_000;
const POLL_MS = 50;

/**
 * Returns the kubeconfig that kubectl and kind write to: the first file of KUBECONFIG that exists, else its last, else
 * ~/.kube/config.
 */
export function mergeTarget(env: Readonly<Record<string, string | undefined>>): string {
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const usual = join(env['HOME'] ?? '', '.kube', 'config');
  return listed.find((path) => existsSync(path)) ?? listed.at(-1) ?? usual;
}

/**
 * Changes a kubeconfig while holding the lock file that kubectl and kind use. A file that is a link stays one. If the
 * change is undefined, nothing is written.
 */
export async function editKubeconfig(
  file: string,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  change: (text: string) => string | undefined,
): Promise<void> {
  try {
    createDirectory(dirname(file), 0o700);
    const target = existsSync(file) ? realpathSync(file) : file;
    const unlock = await lock(`${target}.lock`, clock);
    try {
      const changed = change(existsSync(target) ? readFileSync(target, 'utf8') : '');
      if (changed !== undefined) writePrivateFile(target, changed);
    } finally {
      unlock();
    }
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`the kubeconfig ${file} cannot be changed: ${(cause as Error).message}`, {
      cause,
      hint: 'Set KUBECONFIG to a file that can be written.',
    });
  }
}

async function lock(path: string, clock: Pick<Clock, 'monotonic' | 'sleep'>): Promise<() => void> {
  const began = clock.monotonic();
  for (;;) {
    try {
      closeSync(openSync(path, 'wx', 0));
      return () => rmSync(path, { force: true });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
      if (clock.monotonic() - began >= MAX_LOCK_MS) {
        throw new ConfigError(`the kubeconfig is locked by another program: ${path} exists`, {
          cause,
          hint: `If no kubectl, kind or Vimana is changing it, delete the lock: rm ${path}`,
        });
      }
    }
    await clock.sleep(POLL_MS);
  }
}
