import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createPrivateDirectory } from '#platform/kube/kubeconfig/private-file';
import { EXIT_CODES, ReportedError } from '#programs/cli/failure';
import type { Io } from '#programs/cli/io';
import type { UpSettings } from '#programs/cli/up';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { withStartExplanation } from './data-dir.ts';

/** Message of the detached process when it is ready. */
const READY = 'ready';

/**
 * Runs the same command in a process of its own, shows its output until it is ready, and leaves it running. If it does
 * not become ready, its error and exit code are those of this command.
 */
export async function startDetached({ dataDir }: UpSettings, io: Io, stop: AbortSignal): Promise<void> {
  const directory = resolve(dataDir ?? defaultDataDir('up'));
  const { log, fd, from } = openLog(directory);
  const args = process.argv.slice(1).filter((arg) => arg !== '--detach');
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    detached: true,
    stdio: ['ignore', fd, fd, 'ipc'],
  });
  closeSync(fd);
  stop.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const exited = once(child, 'exit');
  const ready = once(child, 'message').then(() => READY);
  const outcome = await Promise.race([ready, exited]);
  const said = readFileSync(log).subarray(from).toString();
  if (outcome === READY && !stop.aborted) {
    child.disconnect();
    child.unref();
    io.out(`${said}It runs in the background (process ${child.pid}); its log is ${log}\n`);
    return;
  }
  const [code] = await exited;
  if (said === '') throw withStartExplanation(new Error(`it ended and could not write its log ${log}`), directory);
  io.err(said);
  throw new ReportedError(typeof code === 'number' && code !== 0 ? code : EXIT_CODES.failed);
}

/** Reports whether another process has started this one in the background. */
export const isDetached = () => process.send !== undefined;

/** Tells the process that waits for this one, if there is one, that everything is ready. */
export function reportReady(): void {
  process.send?.(READY, () => process.disconnect?.());
}

/** Opens the log, to which each start appends. */
function openLog(directory: string) {
  try {
    createPrivateDirectory(directory);
    const log = join(directory, 'up.log');
    const fd = openSync(log, 'a', 0o600);
    return { log, fd, from: statSync(log).size };
  } catch (error) {
    throw withStartExplanation(error, directory);
  }
}
