import type { Command } from 'commander';
import { CheckedCommand } from './checked-command.ts';
import { nonEmpty } from './non-empty.ts';

/** Parsed flags of `vimana restore`. */
export interface RestoreSettings {
  readonly file: string;
  readonly dataDir?: string;
  readonly replace: boolean;
  readonly passphraseFile?: string;
}

/** Builds `vimana restore`, which restores a data directory from a backup. */
export function restoreCommand(start: (settings: RestoreSettings) => Promise<void>): Command {
  return new CheckedCommand('restore')
    .description('create a data directory from a backup')
    .argument('<file>', 'file that vimana backup wrote', nonEmpty)
    .option('--data-dir <directory>', 'data directory to create (default: that of vimana up)', nonEmpty)
    .option('--replace', 'set aside the present content of the data directory', false)
    .option('--passphrase-file <file>', 'file with the passphrase of an encrypted backup', nonEmpty)
    .action((file: string, flags: Omit<RestoreSettings, 'file'>) => start({ file, ...flags }));
}
