import { type ChildProcess, spawn } from 'node:child_process';

/** Kills the process $0 and removes the folder $1 when standard input ends without a word. */
const SCRIPT = 'read -r word || { kill -9 "$0"; rm -rf "$1"; }';

/** Ends a process, and what it left in a folder, together with this one, however this one ends. */
export function mind(child: ChildProcess, folder = ''): void {
  if (child.pid === undefined) return;
  // A group of its own: whoever ends the group of the tests leaves it to end the process.
  const minder = spawn('sh', ['-c', SCRIPT, String(child.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  minder.stdin?.on('error', () => {});
  child.once('exit', () => minder.stdin?.end('gone\n'));
}
