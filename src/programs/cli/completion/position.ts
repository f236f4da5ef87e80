import type { Argument, Command, Option } from 'commander';

/** Position of the cursor on a command line. */
export interface Position {
  readonly command: Command;
  /** Element being typed: the value of a flag, a flag, or a word. */
  readonly at: { readonly value: Option; readonly inline: boolean } | 'flag' | 'word';
  /** Text typed so far. For `--flag=value`, only the value. */
  readonly typed: string;
  /** Argument of the command that a word would fill, if the command takes one more. */
  readonly argument: Argument | undefined;
  /** Words that the command already has. */
  readonly words: readonly string[];
  /** Flags that are already set, with their values, by their settings names. */
  readonly flags: ReadonlyMap<string, string>;
}

/** Parses a command line up to the cursor. The last word is the one being typed, and may be empty. */
export function positionOf(root: Command, line: readonly string[]): Position {
  let command = root;
  let pending: Option | undefined;
  let onlyWords = false;
  const words: string[] = [];
  const flags = new Map<string, string>();
  for (const word of line.slice(0, -1)) {
    if (pending !== undefined && !(pending.variadic && word.startsWith('-'))) {
      flags.set(pending.attributeName(), word);
      if (!pending.variadic) pending = undefined;
    } else if (!onlyWords && word === '--') onlyWords = true;
    else if (!onlyWords && word.startsWith('-')) {
      const { option, value } = flagOf(command, word);
      pending = option !== undefined && value === undefined && takesValue(option) ? option : undefined;
      if (option !== undefined) flags.set(option.attributeName(), value ?? '');
    } else {
      const below = words.length === 0 ? subcommandOf(command, word) : undefined;
      if (below === undefined) words.push(word);
      else command = below;
    }
  }
  const typed = line.at(-1) ?? '';
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[words.length] ?? (last?.variadic === true ? last : undefined);
  const around = { command, argument, words, flags };
  if (pending !== undefined && !(pending.variadic && typed.startsWith('-'))) {
    return { ...around, at: { value: pending, inline: false }, typed };
  }
  if (onlyWords || !typed.startsWith('-')) return { ...around, at: 'word', typed };
  const { option, value } = flagOf(command, typed);
  if (option !== undefined && value !== undefined && typed.includes('=')) {
    return { ...around, at: { value: option, inline: true }, typed: value };
  }
  return { ...around, at: 'flag', typed };
}

/** Returns the flags that a command takes: its own and those of its parent commands. */
export function optionsOf(command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent === null ? own : [...own, ...optionsOf(command.parent)];
}

/** Parses `--flag`, `--flag=value`, `-f`, `-fvalue`, or several short flags in one word. */
function flagOf(command: Command, word: string): { option?: Option; value?: string } {
  const options = optionsOf(command);
  if (word.startsWith('--')) {
    const at = word.indexOf('=');
    const name = at < 0 ? word : word.slice(0, at);
    const option = options.find(({ long }) => long === name);
    return { ...(option === undefined ? {} : { option }), ...(at < 0 ? {} : { value: word.slice(at + 1) }) };
  }
  for (let at = 1; at < word.length; at++) {
    const option = options.find(({ short }) => short === `-${word[at] ?? ''}`);
    if (option === undefined) return {};
    if (takesValue(option)) return at + 1 < word.length ? { option, value: word.slice(at + 1) } : { option };
    if (at + 1 === word.length) return { option };
  }
  return {};
}

const takesValue = ({ required, optional }: Option) => required || optional;

function subcommandOf(command: Command, word: string): Command | undefined {
  return command.commands.find((each) => each.name() === word || each.aliases().includes(word));
}
