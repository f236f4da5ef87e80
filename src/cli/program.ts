import { Command } from 'commander';
import { type ApiServerSettings, apiServerCommand } from './apiserver.ts';
import { crdsCommand } from './crds.ts';
import type { Io } from './io.ts';
import { overview } from './overview.ts';
import { validateCommand } from './validate.ts';

/** Commands that start something long-lived; the composition root knows how. */
export interface Starters {
  readonly apiserver: (settings: ApiServerSettings) => Promise<void>;
}

/** The command line as a whole; it throws what goes wrong and ends no process. */
export function vimanaProgram(io: Io, version: string, starters: Starters): Command {
  const program = new Command('vimana')
    .description('Virtual machines as Kubernetes resources, real or simulated.')
    .version(version)
    .allowExcessArguments()
    .action((_options, command: Command) => {
      const [unknown] = command.args;
      if (unknown === undefined) io.out(overview());
      else command.error(`error: unknown command '${unknown}'`);
    })
    .addCommand(validateCommand(io))
    .addCommand(crdsCommand(io))
    .addCommand(apiServerCommand(starters.apiserver));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: io.out, writeErr: io.err });
  }
  return program;
}
