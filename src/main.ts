import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { UsageError, VimanaError } from './base/errors.ts';
import type { ApiServerSettings } from './cli/apiserver.ts';
import { vimanaProgram } from './cli/program.ts';
import { terminal } from './cli/terminal.ts';

/** The launchers in bin/ pass the name that the program was called by, then the user's arguments. */
const [, , name, ...args] = process.argv;

// A reader that went away (`vimana crds | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  if (name === 'hyperctl') {
    throw new UsageError('hyperctl is not built yet', { hint: 'use kubectl with the manifests in examples/hypersdk' });
  }
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const apiserver = async (settings: ApiServerSettings) => (await import('./serve.ts')).serve(settings);
  await vimanaProgram(terminal, version, { apiserver }).parseAsync(args, { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else if (error instanceof VimanaError) {
    terminal.err(`error: ${error.message}\n${error.hint === undefined ? '' : `${error.hint}\n`}`);
    process.exitCode = 1;
  } else {
    const { message, stack } = error as Error;
    const where = process.env['VIMANA_DEBUG'] === undefined ? 'set VIMANA_DEBUG=1 to see where' : stack;
    terminal.err(`internal error: ${message}\n${where}\n`);
    process.exitCode = 70;
  }
}
