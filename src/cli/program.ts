import { Command } from 'commander';
import { crdsCommand } from './crds.ts';
import type { Io } from './io.ts';
import { overview } from './overview.ts';
import { validateCommand } from './validate.ts';

/** The command line as a whole; it throws what goes wrong and ends no process. */
export function vimanaProgram(io: Io, version: string): Command {
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
    .addCommand(crdsCommand(io));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: io.out, writeErr: io.err });
  }
  return program;
}
