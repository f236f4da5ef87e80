import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the directory of everything that Vimana stores for this user. */
export function userDataDir(): string {
  return join(process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'vimana');
}

/** Returns the default data directory of a command. */
export function defaultDataDir(name: string): string {
  return join(userDataDir(), name);
}
