import { spawnSync } from 'node:child_process';

/** Settings of the npm that started this program must not reach the one that it starts. */
const ENVIRONMENT = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

const MAX_OUTPUT = 2 ** 31 - 1;

/** Runs a program, which must succeed, and returns what it prints. */
export function run(cwd: string, program: string, ...args: readonly string[]): Buffer {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env: ENVIRONMENT, maxBuffer: MAX_OUTPUT });
  if (status === 0) return stdout;
  const reason =
    error === undefined ? `ended with ${status}:\n${stderr.toString()}` : `cannot be run: ${error.message}`;
  throw new Error(`${program} ${args.join(' ')} ${reason}`);
}
