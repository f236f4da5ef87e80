import type { Command } from 'commander';
import { CheckedCommand } from './checked-command.ts';
import { nonEmpty } from './non-empty.ts';

/** Parsed flags of `vimana backup`. */
export interface BackupSettings {
  readonly file: string;
  readonly dataDir?: string;
  readonly passphraseFile?: string;
}

type Flags = Omit<BackupSettings, 'file'> & { readonly encrypt: boolean };

/** Builds `vimana backup`, which writes the contents of a data directory to one file. */
export function backupCommand(start: (settings: BackupSettings) => Promise<void>): Command {
  return new CheckedCommand('backup')
    .description('back up all objects, keys and tokens of a data directory to one file, even while it is in use')
    .argument('<file>', 'file to write; it must not exist yet', nonEmpty)
    .option('--data-dir <directory>', 'data directory to back up (default: that of vimana up)', nonEmpty)
    .option('--encrypt', 'encrypt the file with a passphrase', false)
    .option('--passphrase-file <file>', 'file with the passphrase', nonEmpty)
    .refuses(({ encrypt, passphraseFile }: Flags) => [
      ...(encrypt && passphraseFile === undefined ? ['--encrypt needs --passphrase-file.'] : []),
      ...(!encrypt && passphraseFile !== undefined ? ['--passphrase-file needs --encrypt.'] : []),
    ])
    .action((file: string, { encrypt: _said, ...flags }: Flags) => start({ file, ...flags }));
}
