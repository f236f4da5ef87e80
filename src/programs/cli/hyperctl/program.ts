import type { Command, Option } from 'commander';
import { systemRandom } from '#platform/base/random';
import { CheckedCommand } from '../checked-command.ts';
import { completeCommand, completionCommand } from '../completion/command.ts';
import { optionsOf } from '../completion/position.ts';
import { type ProgramDeps, withDescendants } from '../program.ts';
import { carbonCalls } from './carbon.ts';
import { doubleDashed } from './dashes.ts';
import { k8sCommand } from './k8s.ts';

/** Builds the command line under its second name, which accepts HyperSDK's calls. */
export function hyperctlProgram({
  io,
  version,
  clock,
  signal,
  random = systemRandom(),
  starters,
}: ProgramDeps): HyperctlProgram {
  const program = new HyperctlProgram('hyperctl')
    .description('Manage HyperSDK virtual machines. Flags take one dash or two.')
    .version(version)
    .addCommand(k8sCommand({ io, clock, signal, random, connect: starters.connect }))
    .addCommand(carbonCalls({ io, clock, signal, connect: starters.connect }))
    .addCommand(completionCommand(io, 'hyperctl'));
  program.addCommand(completeCommand(io, { clock, ...starters, read: (words) => program.read(words) }), {
    hidden: true,
  });
  for (const command of withDescendants(program)) {
    command
      .exitOverride()
      .configureOutput({ writeOut: io.out, writeErr: io.err })
      .configureHelp({ optionTerm: ({ flags }: Option) => flags.replaceAll('--', '-') });
  }
  return program;
}

/** Accepts flags with a single dash. */
class HyperctlProgram extends CheckedCommand {
  /** Parses and runs a call. */
  async call(words: readonly string[]): Promise<void> {
    await this.parseAsync(this.read(words), { from: 'user' });
  }

  /** Converts the words of a call to the form that commands parse. */
  read(words: readonly string[]): string[] {
    const at = words.findIndex((word) => this.commands.some((command) => command.name() === word));
    const command = this.commands.find((each) => each.name() === words[at]);
    if (command === undefined) return doubleDashed(words, optionsOf(this));
    const [before, after] = [words.slice(0, at), words.slice(at + 1)];
    const head = [...doubleDashed(before, optionsOf(this)), command.name()];
    // The completion command receives the words of another call, so they stay as they are.
    if (command.options.length === 0) return [...head, ...after];
    const known = [...optionsOf(command), ...command.commands.flatMap(optionsOf)];
    return [...head, ...operationFirst(doubleDashed(after, known), command)];
  }
}

/** Moves the operation before its flags where it is a subcommand. */
function operationFirst(words: readonly string[], { commands }: Command): readonly string[] {
  const named = commands.find((each) => words.includes(`--op=${each.name()}`));
  return named === undefined ? words : [named.name(), ...words.filter((word) => word !== `--op=${named.name()}`)];
}
