import type { Command } from 'commander';
import { UsageError } from '#platform/base/errors';
import { similarWord } from '#platform/base/similar-word';
import { CheckedCommand } from '../checked-command.ts';
import type { Io } from '../io.ts';

/** Builds `vimana help`, which shows the help of a command: vimana help vm create. */
export function helpCommand(): Command {
  return new CheckedCommand('help')
    .description('show the help of a command')
    .argument('[command...]', 'words of the command, such as vm create')
    .action((words: string[], _flags, command: Command) => {
      const root = command.parent ?? command;
      const found = words.reduce((at, word) => below(at, word), root);
      found.outputHelp();
    });
}

function below(command: Command, word: string): Command {
  const visible = command.createHelp().visibleCommands(command);
  const found = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
  if (found !== undefined) return found;
  const meant = similarWord(
    word,
    visible.map((each) => each.name()),
  );
  throw new UsageError(`${pathOf(command)} has no command ${word}`, {
    hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}List its commands with: ${pathOf(command)} --help`,
  });
}

/** Describes an unknown command of the program, and suggests what is probably meant: vms is vm, get is vm get. */
export function unknownCommand(program: Command, words: readonly string[]): string {
  const [word = ''] = words;
  const names = program
    .createHelp()
    .visibleCommands(program)
    .map((each) => each.name());
  const ofVms = program.commands.find((each) => each.name() === 'vm')?.commands ?? [];
  const vmCommand = ofVms.find((each) => each.name() === word || each.aliases().includes(word))?.name();
  const meant = similarWord(word, names) ?? (vmCommand === undefined ? undefined : `vm ${vmCommand}`);
  const question = meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
  return `error: unknown command '${word}'${question}\nList all commands with: ${program.name()} --help`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Builds `vimana version`. */
export function versionCommand(io: Io, version: string): Command {
  return new CheckedCommand('version').description('print the version').action(() => io.out(`${version}\n`));
}
