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
  const intro = `# Commands\n\nGenerated from the program; \`vimana COMMAND --help\` prints the same.\n\n${exits()}\n`;
  const text = [intro, ...sections, HYPERCTL, operations(), ...calls].join('\n');
  return { path: 'docs/reference/cli.md', text };
}

const HYPERCTL = `# hyperctl

The same program under a second name, with the commands of HyperSDK. Flags take one dash or two, \`-flag value\` or \`-flag=value\`; \`-flag=false\` turns off a flag that is on by default. Operations that change something only print an object: pipe it into \`kubectl apply -f -\`. Each VMOperation has a unique name, so that each call takes effect once. With \`-wait\`, the command creates the object, waits for it to finish, and prints progress to standard error. On success it prints the object, and applying it again changes nothing. Standard output contains only the object.
`;

function operations(): string {
  const rows = Object.entries<HyperctlCall>(OPERATIONS).map(([name, { about, needs, takes }]) => {
    const flags = [
      ...needs.map((flag) => `**\`${toDashed(flag)}\`**`),
      ...takes.map((flag) => `\`${toDashed(flag)}\``),
    ];
    return `| \`${name}\` | ${about} | ${flags.join(' ')} |`;
  });
  return `| \`hyperctl k8s -op\` | description | flags (required ones in bold) |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** Formats a call of hyperctl. A subcommand is an operation. */
const calledBy = ([program = '', command = '', ...below]: readonly string[]) =>
  [program, command, ...below.map((operation) => `-op ${operation}`)].filter((word) => word !== '');

const oneDash = (flags: string) => flags.replaceAll('--', '-');

function exits(): string {
  const { done, failed, notUnderstood, interrupted, terminated, internal } = EXIT_CODES;
  return `Exit codes: ${done} success; ${failed} failed, in part or completely; ${notUnderstood} invalid command line, nothing was done; ${interrupted} interrupted by Ctrl-C, ${terminated} by SIGTERM; ${internal} internal error. Results go to standard output, everything else to standard error.`;
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
