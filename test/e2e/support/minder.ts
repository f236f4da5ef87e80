import { type ChildProcess, spawn } from 'node:child_process';

/** Kills the process $0 and deletes the directory $1 when standard input is closed without a message. */
const SCRIPT = 'read -r word || { kill -9 "$0"; rm -rf "$1"; }';

/** Stops a process and deletes its directory when this process exits, for whatever reason. */
export function mind(child: ChildProcess, folder = ''): void {
  if (child.pid === undefined) return;
  // It has its own process group, so that it can still stop the process if the group of the tests is killed.
  const minder = spawn('sh', ['-c', SCRIPT, String(child.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  minder.stdin?.on('error', () => {});
  child.once('exit', () => minder.stdin?.end('gone\n'));
}
