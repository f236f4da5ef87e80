import type { Command } from 'commander';
import { palette } from '../color.ts';
import type { Io } from '../io.ts';
import { EXAMPLES, type Example } from './examples.ts';

/** Gives a command and its descendants their output, their examples and colors. */
export function withHelp(command: Command, io: Io, path = command.name()): void {
  const { out = false, err = false } = io.colors ?? {};
  const { bold } = palette(out);
  const { red } = palette(err);
  command
    .exitOverride()
    .configureHelp({ styleTitle: bold })
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      getOutHasColors: () => out,
      getErrHasColors: () => err,
      outputError: (text, write) => write(`${text.replace(/^error:/, red('error:'))}${seeAlso(text, path)}`),
    });
  const examples = EXAMPLES[path] ?? [];
  if (examples.length > 0) command.addHelpText('after', `\n${bold('Examples:')}\n${formatExamples(examples)}`);
  for (const below of command.commands) withHelp(below, io, `${path} ${below.name()}`);
}

/** Refers to the help of a command that was called wrongly, unless the error does so itself. */
function seeAlso(text: string, path: string): string {
  return text.includes('--help') ? '' : `See: ${path} --help\n`;
}

function formatExamples(examples: readonly Example[]): string {
  const widest = Math.max(...examples.map(([line]) => line.length));
  return examples.map(([line, meaning]) => `  ${line.padEnd(widest)}  # ${meaning}`).join('\n');
}
