import { readFileSync } from 'node:fs';
import { realClock } from '#platform/base/clock';
import { reportedError } from '#programs/cli/failure';
import { type Starters, vimanaProgram } from '#programs/cli/program';
import { terminal } from '#programs/cli/terminal';

/** The scripts in bin/ pass the name that the program was called by, then the user's arguments. */
const [, , name, ...args] = process.argv;

/** Programs that serve others, which must survive that nobody can read what they print. */
const isServer = ['up', 'apiserver', 'operator', 'exporter'].includes(args[0] ?? '');

// A reader that has exited (`vimana crds | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  if (isServer) return;
  terminal.err(`error: the output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// There is no place left to report this.
process.stderr.on('error', () => {});

// Files may contain secrets, so only the user who runs the program may read them.
process.umask(0o077);

/** Aborted by Ctrl-C or SIGTERM with the name of the signal. */
const stop = new AbortController();

// The program takes a moment to load, during which it can be stopped too.
if (args[0] === 'up') {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(signal));
}

/** Loads each program only when it is requested. */
const starters: Starters = {
  apiserver: async (settings) => (await import('./serve.ts')).serve(settings),
  up: async (settings) => (await import('#programs/up/up')).up(settings, terminal, stop.signal),
  status: async (settings) => (await import('#programs/up/running')).status(settings, terminal),
  backup: async (settings) => (await import('#programs/up/backup')).backup(settings, terminal),
  restore: async (settings) => (await import('#programs/up/backup')).restore(settings, terminal),
  image: {
    build: async (settings) => (await import('#programs/up/guest-image')).buildImage(settings, terminal),
    list: async (settings) => (await import('#programs/up/manage-images')).listImages(settings, terminal),
    pull: async (settings) =>
      (await import('#programs/up/manage-images')).pullImageCommand(settings, terminal, waitForInterrupt()),
    prune: async (settings) => (await import('#programs/up/manage-images')).pruneImagesCommand(settings, terminal),
  },
  down: async (settings) => (await import('#programs/up/running')).down(settings, terminal),
  ls: async (settings) => (await import('#programs/up/list-instances')).listInstances(settings, terminal),
  delete: async (settings) => (await import('#programs/up/delete-instance')).deleteInstance(settings, terminal),
  install: async (...requested) => (await import('#programs/install/install')).install(...requested),
  uninstall: async (...requested) => (await import('#programs/install/uninstall')).uninstall(...requested),
  operator: async (flags) => (await import('#programs/operator/run')).runOperator(flags),
  exporter: async (flags) => (await import('./exporter.ts')).runExporter(flags),
  simulate: async (settings) => (await import('./simulate.ts')).simulate(settings, terminal),
  importTrace: async (settings) => (await import('./trace.ts')).importTrace(settings, terminal),
  nodes: async (settings) => (await import('#programs/install/print-nodes')).printNodes(settings),
  connect: async (flags) => (await import('./connect.ts')).connect(flags),
  kubeconfigNames: async (flags, what) => (await import('./connect.ts')).kubeconfigNames(flags, what),
  findExporter: async () => (await import('./connect.ts')).findExporter(),
};

const enough = new AbortController();

function waitForInterrupt(): AbortSignal {
  const ended = new AbortController();
  process.once('SIGINT', () => ended.abort());
  return ended.signal;
}

try {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const parts = {
    io: terminal,
    version,
    clock: realClock,
    signal: enough.signal,
    interrupted: waitForInterrupt,
    starters,
  };
  if (name === 'hyperctl') await (await import('#programs/cli/hyperctl/program')).hyperctlProgram(parts).call(args);
  else await vimanaProgram(parts).parseAsync(args, { from: 'user' });
} catch (error) {
  process.exitCode = reportedError(error, terminal, { debug: process.env['VIMANA_DEBUG'] !== undefined });
}
