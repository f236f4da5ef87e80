import { type Command, Option } from 'commander';
import { CheckedCommand } from './checked-command.ts';
import { nonEmpty } from './non-empty.ts';

/** Where a `vimana up` is looked for. */
export interface RunningSettings {
  readonly dataDir?: string;
  readonly output?: 'text' | 'json';
}

export interface RunningStarters {
  readonly status: (settings: RunningSettings) => Promise<void>;
  readonly down: (settings: RunningSettings) => Promise<void>;
}

/** `vimana status` and `vimana down`: what a `vimana up` of this machine does, and its end. */
export function runningCommands({ status, down }: RunningStarters): Command[] {
  const folder = [
    '--data-dir <folder>',
    'data folder of the vimana up that is meant (default: the usual one)',
    nonEmpty,
  ] as const;
  return [
    new CheckedCommand('status')
      .description('say whether vimana up runs, where, and what it holds')
      .option(...folder)
      .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
      .action(status),
    new CheckedCommand('down')
      .description('stop a running vimana up; its objects stay')
      .option(...folder)
      .action(down),
  ];
}
