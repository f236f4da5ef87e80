import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { VimanaError } from '#platform/base/errors';

/** Runs a program of the system with this terminal, and resolves to its exit code. */
export async function runProgram(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit' });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 255;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new VimanaError('PROGRAM_MISSING', `${program} not found`, {
      hint: `Install it, on Debian and Ubuntu with: apt-get install openssh-client`,
    });
  }
}
