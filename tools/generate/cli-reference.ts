import type { Command, Option } from 'commander';
import { realClock } from '../../src/base/clock.ts';
import { EXIT_CODES } from '../../src/cli/failure.ts';
import { vimanaProgram } from '../../src/cli/program.ts';
import { IDLE_STARTERS } from '../../src/testing/idle-starters.ts';

const io = { out: () => {}, err: () => {}, read: () => '', manifestsAt: () => [] };

/** All commands and their flags, as the program itself knows them. */
export function cliReference(): { path: string; text: string } {
  const signal = new AbortController().signal;
  const program = vimanaProgram({ io, version: '', clock: realClock, signal, starters: IDLE_STARTERS });
  const sections = leaves(program, []).map(({ command, path }) => section(command, path));
  const intro = `# Commands\n\nGenerated from the program itself; \`vimana COMMAND --help\` shows the same.\n\n${exits()}\n`;
  return { path: 'docs/reference/cli.md', text: `${intro}\n${sections.join('\n')}` };
}

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

function section(command: Command, path: readonly string[]): string {
  const args = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  const head = `## \`${[...path, ...args].join(' ')}\`\n\n${sentence(command.description())}\n`;
  if (command.options.length === 0) return head;
  const rows = command.options.map((option) => `| \`${option.flags}\` | ${meaning(option)} |`);
  return `${head}\n| flag | meaning |\n|---|---|\n${rows.join('\n')}\n`;
}

function meaning({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  const isShown = defaultValue !== undefined && defaultValue !== false && JSON.stringify(defaultValue) !== '{}';
  const usual = isShown ? `; default ${defaultValueDescription ?? String(defaultValue)}` : '';
  return `${description}${choices}${usual}`.replaceAll('|', '\\|');
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
