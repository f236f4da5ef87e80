import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { realClock } from './base/clock.ts';
import { UsageError, VimanaError } from './base/errors.ts';
import { type Starters, vimanaProgram } from './cli/program.ts';
import { terminal } from './cli/terminal.ts';
import { KubeError } from './kube/kube-error.ts';

/** The launchers in bin/ pass the name that the program was called by, then the user's arguments. */
const [, , name, ...args] = process.argv;

// A reader that went away (`vimana crds | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

/** What starts something is loaded only when it is asked for. */
const starters: Starters = {
  apiserver: async (settings) => (await import('./serve.ts')).serve(settings),
  up: async (settings) => (await import('./up/up.ts')).up(settings, terminal),
  status: async (settings) => (await import('./up/running.ts')).status(settings, terminal),
  down: async (settings) => (await import('./up/running.ts')).down(settings, terminal),
  nodes: async (settings) => (await import('./up/print-nodes.ts')).printNodes(settings),
  connect: async (flags) => (await import('./connect.ts')).connect(flags),
};

const enough = new AbortController();

try {
  if (name === 'hyperctl') {
    throw new UsageError('hyperctl is not built yet', { hint: 'use kubectl with the manifests in examples/hypersdk' });
  }
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const parts = { io: terminal, version, clock: realClock, signal: enough.signal, starters };
  await vimanaProgram(parts).parseAsync(args, { from: 'user' });
} catch (error) {
  process.exitCode = told(error);
}

/** Says what went wrong without a stack trace, unless it is a fault of ours; gives the exit code. */
function told(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof VimanaError) {
    terminal.err(`error: ${error.message}\n${error.hint === undefined ? '' : `${error.hint}\n`}`);
    return 1;
  }
  if (error instanceof KubeError) {
    const reason = error.reason === '' ? '' : ` (${error.reason})`;
    terminal.err(`error from the server${reason}: ${error.message}\n`);
    return 1;
  }
  const { message, stack, cause } = error as Error & { code?: string };
  if (unreachable(error) || unreachable(cause)) {
    terminal.err(`error: the server cannot be reached: ${message}\nDoes it run? vimana status tells.\n`);
    return 1;
  }
  const where = process.env['VIMANA_DEBUG'] === undefined ? 'set VIMANA_DEBUG=1 to see where' : stack;
  terminal.err(`internal error: ${message}\n${where}\n`);
  return 70;
}

function unreachable(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return /^(?:ECONN|ENOTFOUND|EHOST|ENETUNREACH|EAI_|ETIMEDOUT|UND_ERR|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(
    code,
  );
}
