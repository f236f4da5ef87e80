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
  readonly ls: (settings: Pick<RunningSettings, 'output'>) => Promise<void>;
  readonly delete: (settings: RunningSettings) => Promise<void>;
}

/** Builds `vimana status`, `ls`, `down` and `delete`, which show, stop and delete a `vimana up` on this host. */
export function runningCommands(starters: RunningStarters): Command[] {
  const dataDirOption = [
    '--data-dir <directory>',
    'data directory of the instance (default: that of vimana up, or of the only running instance)',
    nonEmpty,
  ] as const;
  return [
    new CheckedCommand('status')
      .description('show whether vimana up is running, its addresses, and a summary of its objects')
      .option(...dataDirOption)
      .addOption(outputOption())
      .action(starters.status),
    new CheckedCommand('ls')
      .description('list the running instances of vimana up, and VMs that run without one')
      .addOption(outputOption())
      .action(starters.ls),
    new CheckedCommand('down')
      .description('stop a running vimana up; its objects are retained')
      .option(...dataDirOption)
      .action(starters.down),
    new CheckedCommand('delete')
      .description('stop an instance if it is running, and delete its objects, VMs, keys and kubeconfig entries')
      .option(...dataDirOption)
      .action(starters.delete),
  ];
}

const outputOption = () =>
  new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text');
