import { readFileSync } from 'node:fs';
import { realClock } from './base/clock.ts';
import { toldFailure } from './cli/failure.ts';
import { type Starters, vimanaProgram } from './cli/program.ts';
import { terminal } from './cli/terminal.ts';

/** The launchers in bin/ pass the name that the program was called by, then the user's arguments. */
const [, , name, ...args] = process.argv;

// A reader that went away (`vimana crds | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// Whatever is written is for whoever runs this: it may hold secrets, or tell of them.
process.umask(0o077);

/** What starts something is loaded only when it is asked for. */
const starters: Starters = {
  apiserver: async (settings) => (await import('./serve.ts')).serve(settings),
  up: async (settings) => (await import('./up/up.ts')).up(settings, terminal),
  status: async (settings) => (await import('./up/running.ts')).status(settings, terminal),
  backup: async (settings) => (await import('./up/backup.ts')).backup(settings, terminal),
  restore: async (settings) => (await import('./up/backup.ts')).restore(settings, terminal),
  down: async (settings) => (await import('./up/running.ts')).down(settings, terminal),
  install: async (...asked) => (await import('./install/install.ts')).install(...asked),
  uninstall: async (...asked) => (await import('./install/uninstall.ts')).uninstall(...asked),
  operator: async (flags) => (await import('./operator/run.ts')).runOperator(flags),
  exporter: async (flags) => (await import('./exporter.ts')).runExporter(flags),
  simulate: async (settings) => (await import('./simulate.ts')).simulate(settings, terminal),
  nodes: async (settings) => (await import('./install/print-nodes.ts')).printNodes(settings),
  connect: async (flags) => (await import('./connect.ts')).connect(flags),
  kubeconfigNames: async (flags, what) => (await import('./connect.ts')).kubeconfigNames(flags, what),
};

const enough = new AbortController();

function interrupted(): AbortSignal {
  const ended = new AbortController();
  process.once('SIGINT', () => ended.abort());
  return ended.signal;
}

try {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const parts = { io: terminal, version, clock: realClock, signal: enough.signal, interrupted, starters };
  if (name === 'hyperctl') await (await import('./cli/hyperctl/program.ts')).hyperctlProgram(parts).call(args);
  else await vimanaProgram(parts).parseAsync(args, { from: 'user' });
} catch (error) {
  process.exitCode = toldFailure(error, terminal, { debug: process.env['VIMANA_DEBUG'] !== undefined });
}
