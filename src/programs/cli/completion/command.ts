import { Argument, type Command } from 'commander';
import { CheckedCommand } from '../checked-command.ts';
import type { Io } from '../io.ts';
import { complete } from './candidates.ts';
import { type LookUpDeps, lookUpIn } from './look-up.ts';
import { positionOf } from './position.ts';
import { SCRIPTS, SHELLS, type Shell } from './scripts.ts';

/**
 * Builds `vimana completion SHELL`, which prints a script that completes commands, flags, their values and names in the
 * cluster.
 */
export function completionCommand(io: Io, name = 'vimana'): Command {
  return new CheckedCommand('completion')
    .description(`print a completion script: source <(${name} completion bash)`)
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell, _flags, command: Command) => io.out(SCRIPTS[shell](rootOf(command).name())));
}

interface WordParts {
  /** Normalizes the words of a program whose flags may have a single dash. */
  readonly read?: (words: readonly string[]) => string[];
}

/**
 * Builds `vimana __complete SHELL -- WORDS`, which the scripts call. It never fails, because a message would disturb
 * the prompt.
 */
export function completeCommand(io: Io, { read, ...parts }: LookUpDeps & WordParts): Command {
  return new CheckedCommand('__complete')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .argument('[words...]')
    .action(async (shell: Shell, words: string[], _flags, command: Command) => {
      const whole = shell === 'bash' ? joinWords(words) : words;
      const typed = whole.at(-1) ?? '';
      // A program that accepts single-dash flags gets them offered in that form.
      const isShort = read !== undefined && /^-(?!-)/.test(typed);
      const before = whole.slice(0, -1);
      const line = [...(read === undefined ? before : read(before)), isShort ? `-${typed}` : typed];
      const position = positionOf(rootOf(command), line);
      const { candidates, paths } = await complete(position, lookUpIn(parts));
      // Bash treats the text after an equals sign as a separate word.
      const inline = shell === 'bash' && typeof position.at === 'object' && position.at.inline;
      const values = candidates.map(({ value, about = '' }) => {
        const text = inline ? value.slice(value.indexOf('=') + 1) : isShort ? value.replace(/^--/, '-') : value;
        return about === '' ? text : `${text}\t${about}`;
      });
      io.out([...values, ...(paths === undefined ? [] : [`:${paths}`])].map((each) => `${each}\n`).join(''));
    });
}

/** Joins `--flag`, `=` and `value`, which bash has split. */
function joinWords(words: readonly string[]): string[] {
  const whole: string[] = [];
  for (const [at, word] of words.entries()) {
    const isValue = words[at - 1] === '=' && whole.at(-1)?.endsWith('=') === true;
    const isSign = word === '=' && whole.at(-1)?.startsWith('-') === true;
    if (isValue || isSign) whole.push(`${whole.pop() ?? ''}${word}`);
    else whole.push(word);
  }
  return whole;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
