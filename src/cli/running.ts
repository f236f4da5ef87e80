import { Command } from 'commander';

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
  ] as const;
  return [
    new Command('status')
      .description('say whether vimana up runs, where, and what it holds')
      .option(...folder)
      .option('-o, --output <format>', 'text or json', 'text')
      .action(status),
    new Command('down')
      .description('stop a running vimana up; its objects stay')
      .option(...folder)
      .action(down),
  ];
}
