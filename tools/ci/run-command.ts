import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { RESULTS_FOLDER, resultsIn } from './file-results.ts';
import type { Part, Run } from './part.ts';

/** Maximum time that a stopped command may take to stop what it started. */
const GRACE_MS = 30_000;

const REPORTER = join(import.meta.dirname, 'file-results-reporter.ts');

/** Runs the command of a part, with some of its files, for a limited time. */
export async function runCommand(part: Part, files: readonly string[], limitSeconds: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-ci-'));
  const [program = '', ...args] = part.command;
  // The reporters of a config are replaced by those of the command line.
  const reporters = ['verbose', './tools/closing-line.ts', REPORTER].map((name) => `--reporter=${name}`);
  const all = part.tests === true ? [...args, ...reporters, ...files] : args;
  try {
    const status = await exitStatus(program, all, { ...part.env, PATH, [RESULTS_FOLDER]: folder }, limitSeconds);
    return { status, files: resultsIn((name) => textOf(join(folder, name))) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The pinned Node.js comes first, as in scripts of npm. */
const PATH = [resolve('node_modules/.bin'), process.env['PATH']].join(delimiter);

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Returns the exit status, or undefined if the process group had to be stopped because time ran out. */
function exitStatus(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  limitSeconds: number,
): Promise<number | undefined> {
  return new Promise((settle, fail) => {
    // Its own process group is stopped as a whole.
    const child = spawn(program, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
      detached: true,
    });
    let isLate = false;
    let killing: NodeJS.Timeout | undefined;
    const signal = (name: NodeJS.Signals) => {
      try {
        process.kill(-(child.pid ?? 0), name);
      } catch {
        // It has ended meanwhile.
      }
    };
    const limit = setTimeout(() => {
      isLate = true;
      signal('SIGTERM');
      killing = setTimeout(() => signal('SIGKILL'), GRACE_MS);
    }, limitSeconds * 1000);
    const interrupt = () => signal('SIGINT');
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    child.once('error', fail);
    child.once('close', (status) => {
      clearTimeout(limit);
      clearTimeout(killing);
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      settle(isLate ? undefined : (status ?? 1));
    });
  });
}
