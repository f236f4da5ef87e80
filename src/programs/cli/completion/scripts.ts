export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * Scripts that call the program itself, by the name that the user typed, for the candidates at the cursor. It prints a
 * line per candidate, and `:files` or `:folders` where the shell completes paths.
 */
export const SCRIPTS: Readonly<Record<Shell, (name: string) => string>> = {
  bash: (name) => `_${name}() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default 2>/dev/null ;;
      :folders) compopt -o dirnames 2>/dev/null ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _${name} ${name}
`,
  zsh: (name) => `#compdef ${name}
_${name}() {
  local line
  local -a found
  while IFS= read -r line; do
    case $line in
      :files) _files; return ;;
      :folders) _files -/; return ;;
      *$'\\t'*) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      ?*) found+=("\${line//:/\\\\:}") ;;
    esac
  done < <("\${words[1]}" __complete zsh -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
  (( \${#found} )) && _describe -V ${name} found
}
compdef _${name} ${name}
`,
  fish: (name) => `function __${name}_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  for line in ($words[1] __complete fish -- $words[2..-1] "$typed" 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path "$typed"
      case ':folders'
        __fish_complete_directories "$typed"
      case '*'
        echo $line
    end
  end
end
complete -c ${name} -f -k -a '(__${name}_complete)'
`,
};
