import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** PATH of a host whose own Node.js is not the pinned one of this repository. */
export const HOST_PATH = (process.env['PATH'] ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':');

/** Settings of npm that started this test must not reach the one that is tested. */
const PLAIN = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^NODE/i.test(name)));

export const hostEnvironment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...PLAIN,
  PATH: HOST_PATH,
  CI: undefined,
  ...more,
});

/** Runs a command in a directory like a user of this host. It must succeed. */
export function runIn(
  cwd: string,
  command: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): SpawnSyncReturns<string> {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', env: hostEnvironment(more) });
  if (result.status !== 0) {
    const said = `${result.stdout}${result.stderr}`.slice(-4000);
    throw new Error(`${command} ${args.join(' ')} ended with ${result.status ?? result.error?.message}:\n${said}`);
  }
  return result;
}

/** Copies the files that a commit of this working tree would have: a clean clone, without node_modules and dist. */
export function cloneTo(folder: string): void {
  const { stdout } = runIn(ROOT, 'git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  for (const name of stdout.split('\0').filter((each) => each !== '')) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    try {
      // A symbolic link to a directory is copied as a link, but cpSync wants `recursive` for it.
      cpSync(join(ROOT, name), join(folder, name), { verbatimSymlinks: true, recursive: true });
    } catch (error) {
      // Another test has removed its own file meanwhile, or the working tree deletes it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
