import { Argument, type Command, type Option } from 'commander';
import { CheckedCommand } from './checked-command.ts';
import type { Io } from './io.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `vimana completion SHELL`: prints a script that completes commands and flags. It is made from the commands themselves. */
export function completionCommand(io: Io): Command {
  return new CheckedCommand('completion')
    .description('print a completion script: source <(vimana completion bash)')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell, _flags, command: Command) => {
      const root = command.parent ?? command;
      io.out(SCRIPTS[shell](root.name(), wordsOf(root)));
    });
}

interface Place {
  /** The commands that lead here: `vm start`, or '' for the program itself. */
  readonly path: string;
  readonly words: readonly string[];
}

function wordsOf(command: Command, path: readonly string[] = []): Place[] {
  const shown = command.createHelp().visibleCommands(command);
  const flags = [command, ...parentsOf(command)].flatMap(({ options }) => options.flatMap(namesOf));
  const words = [...new Set([...shown.map((each) => each.name()), ...flags, '--help'])];
  const below = shown.filter((each) => each.name() !== 'help').flatMap((each) => wordsOf(each, [...path, each.name()]));
  return [{ path: path.join(' '), words }, ...below];
}

function parentsOf({ parent }: Command): Command[] {
  return parent === null ? [] : [parent, ...parentsOf(parent)];
}

const namesOf = ({ short, long }: Option): string[] =>
  [long, short].filter((name) => name !== undefined && name !== null);

const cases = (places: readonly Place[], line: (place: Place) => string) => places.map(line).join('\n');

const SCRIPTS: Readonly<Record<Shell, (name: string, places: readonly Place[]) => string>> = {
  bash: (name, places) => `_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case $path in
${cases(places, ({ path, words }) => `      '${path}') words='${words.join(' ')}' ;;`)}
    esac
    [ -n "$words" ] || [ -z "$path" ] && break
    case $path in *' '*) path=\${path% *} ;; *) path= ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name} ${name}
`,
  zsh: (name, places) => `#compdef ${name}
_${name}() {
  local path= word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case $path in
${cases(places, ({ path, words }) => `      '${path}') found=(${words.join(' ')}) ;;`)}
    esac
    (( \${#found} )) || [[ -z $path ]] && break
    [[ $path == *' '* ]] && path=\${path% *} || path=
  done
  compadd -- $found || _files
}
compdef _${name} ${name}
`,
  fish: (name, places) =>
    `${[
      `function __${name}_path`,
      '  set -l found',
      '  for word in (commandline -opc)[2..-1]',
      "    string match -q -- '-*' $word; or set -a found $word",
      '  end',
      '  string join " " $found',
      'end',
      ...places.map(
        ({ path, words }) => `complete -c ${name} -n 'test (__${name}_path) = "${path}"' -a '${words.join(' ')}'`,
      ),
    ].join('\n')}\n`,
};
