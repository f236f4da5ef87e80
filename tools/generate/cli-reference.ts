import type { Command, Option } from 'commander';
import { realClock } from '#platform/base/clock';
import { EXIT_CODES } from '#programs/cli/failure';
import { type HyperctlCall, OPERATIONS, toDashed } from '#programs/cli/hyperctl/operations';
import { hyperctlProgram } from '#programs/cli/hyperctl/program';
import { vimanaProgram } from '#programs/cli/program';
import { IDLE_STARTERS } from '#testing/idle-starters';

const io = { out: () => {}, err: () => {}, read: () => '', manifestsAt: () => [] };

/** Generates the reference of all commands and their flags from the program itself. */
export function cliReference(): { path: string; text: string } {
  const signal = new AbortController().signal;
  const parts = { io, version: '', clock: realClock, signal, starters: IDLE_STARTERS };
  const sections = leaves(vimanaProgram(parts), []).map(({ command, path }) => section(command, path));
  const calls = leaves(hyperctlProgram(parts), []).map(({ command, path }) =>
    section(command, calledBy(path), oneDash),
  );
  const intro = `# Commands\n\nGenerated from the program itself; \`vimana COMMAND --help\` shows the same.\n\n${exits()}\n`;
  const text = [intro, ...sections, HYPERCTL, operations(), ...calls].join('\n');
  return { path: 'docs/reference/cli.md', text };
}

const HYPERCTL = `# hyperctl

The same program under its second name, with the calls of HyperSDK. Flags take one dash or two, \`-flag value\` or \`-flag=value\`; what is so unless it is denied is denied by \`-flag=false\`. Calls that change something print an object and change nothing: pipe it into \`kubectl apply -f -\`. Each VMOperation has a name of its own, so that each call acts once. With \`-wait\` the object is created at once and followed to its end, with its progress on standard error; it is printed when that went well, and applying it again changes nothing. Standard output has the object alone.
`;

function operations(): string {
  const rows = Object.entries<HyperctlCall>(OPERATIONS).map(([name, { about, needs, takes }]) => {
    const flags = [
      ...needs.map((flag) => `**\`${toDashed(flag)}\`**`),
      ...takes.map((flag) => `\`${toDashed(flag)}\``),
    ];
    return `| \`${name}\` | ${about} | ${flags.join(' ')} |`;
  });
  return `| \`hyperctl k8s -op\` | what it does | flags; those it needs in bold |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** Formats a call of hyperctl. A subcommand is an operation. */
const calledBy = ([program = '', command = '', ...below]: readonly string[]) =>
  [program, command, ...below.map((operation) => `-op ${operation}`)].filter((word) => word !== '');

const oneDash = (flags: string) => flags.replaceAll('--', '-');

function exits(): string {
  const { done, failed, notUnderstood, interrupted, terminated, internal } = EXIT_CODES;
  return `Exit codes: ${done} done; ${failed} failed, in part or whole; ${notUnderstood} the command line was not understood and nothing was done; ${interrupted} stopped by Ctrl-C and ${terminated} by SIGTERM before it was done; ${internal} a fault of Vimana. What a command prints for others to read goes to standard output, everything else to standard error.`;
}

interface Leaf {
  readonly command: Command;
  readonly path: readonly string[];
}

function leaves(command: Command, path: readonly string[]): Leaf[] {
  const here = [...path, command.name()];
  if (command.commands.length === 0) return [{ command, path: here }];
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => command.commands.includes(each));
  const own = command.options.some(({ long }) => long !== '--version') ? [{ command, path: here }] : [];
  return [...own, ...shown.flatMap((each) => leaves(each, here))];
}

function section(command: Command, path: readonly string[], shown = (flags: string) => flags): string {
  const args = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  const head = `## \`${[...path, ...args].join(' ')}\`\n\n${sentence(command.description())}\n`;
  if (command.options.length === 0) return head;
  const rows = command.options.map(
    (option) => `| \`${shown(option.flags).replaceAll('|', '\\|')}\` | ${meaning(option)} |`,
  );
  return `${head}\n| flag | meaning |\n|---|---|\n${rows.join('\n')}\n`;
}

function meaning({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  const isShown = defaultValue !== undefined && defaultValue !== false && JSON.stringify(defaultValue) !== '{}';
  const usual = isShown ? `; default ${defaultValueDescription ?? String(defaultValue)}` : '';
  return `${description}${choices}${usual}`.replaceAll('|', '\\|');
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
