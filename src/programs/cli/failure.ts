import { CommanderError } from 'commander';
import { UsageError, VimanaError } from '#platform/base/errors';
import { KubeError } from '#platform/kube/kube-error';
import { palette } from './color.ts';
import type { Io } from './io.ts';

/** Exit codes of commands. */
export const EXIT_CODES = {
  done: 0,
  failed: 1,
  notUnderstood: 2,
  /** Convention of shells for a command ended by Ctrl-C. */
  interrupted: 130,
  /** Convention of shells for a command ended by SIGTERM. */
  terminated: 143,
  /** EX_SOFTWARE of sysexits.h: an internal error. */
  internal: 70,
} as const;

/** Error that was already reported to the user. */
export class ReportedError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exited with code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Prints the error, with a stack trace only if requested, and returns the exit code. */
export function reportedError(error: unknown, io: Io, { debug }: { readonly debug: boolean }): number {
  if (error instanceof ReportedError) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.notUnderstood;
  const { red } = palette(io.colors?.err === true);
  if (error instanceof VimanaError) {
    io.err(`${red('error:')} ${error.message}\n${error.hint === undefined ? '' : `${error.hint}\n`}`);
    return error instanceof UsageError ? EXIT_CODES.notUnderstood : EXIT_CODES.failed;
  }
  if (error instanceof KubeError) {
    const reason = error.reason === '' ? '' : ` (${error.reason})`;
    io.err(`${red(`error from the server${reason}:`)} ${error.message}\n`);
    return EXIT_CODES.failed;
  }
  const { message, stack, cause } = error as Error;
  if (unreachable(error) || unreachable(cause)) {
    io.err(`${red('error:')} the server cannot be reached: ${message}\nCheck whether it is running: vimana status\n`);
    return EXIT_CODES.failed;
  }
  io.err(`${red('internal error:')} ${message}\n${debug ? stack : 'Set VIMANA_DEBUG=1 for a stack trace.'}\n`);
  return EXIT_CODES.internal;
}

function unreachable(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return /^(?:ECONN|ENOTFOUND|EHOST|ENETUNREACH|EAI_|ETIMEDOUT|UND_ERR|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(
    code,
  );
}
