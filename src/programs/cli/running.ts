import { type Command, Option } from 'commander';
import { CheckedCommand } from './checked-command.ts';
import { nonEmpty } from './non-empty.ts';

/** Flags that locate a `vimana up`. */
export interface RunningSettings {
  readonly dataDir?: string;
  readonly output?: 'text' | 'json';
}

export interface RunningStarters {
  readonly status: (settings: RunningSettings) => Promise<void>;
  readonly down: (settings: RunningSettings) => Promise<void>;
}

/** Builds `vimana status` and `vimana down`, which show and stop a `vimana up` on this host. */
export function runningCommands({ status, down }: RunningStarters): Command[] {
  const folder = [
    '--data-dir <directory>',
    'data directory of the vimana up (default: that of vimana up)',
    nonEmpty,
  ] as const;
  return [
    new CheckedCommand('status')
      .description('show whether vimana up is running, its addresses, and a summary of its objects')
      .option(...folder)
      .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
      .action(status),
    new CheckedCommand('down')
      .description('stop a running vimana up; its objects are retained')
      .option(...folder)
      .action(down),
  ];
}
