import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigError } from '#platform/base/errors';
import { createPrivateDirectory, writePrivateFile } from './kubeconfig/private-file.ts';

/** Secret that lets a client of one of the HTTP servers make changes. */
export interface AccessToken {
  readonly file: string;
  /** Compares tokens in constant time. */
  matches(given: string): boolean;
  /** Deletes the file, if its token was created for this process alone and is still in it. */
  remove(): void;
}

const MIN_LENGTH = 16;
const READABLE_BY_OTHERS = 0o004;

/** Returns the token file of a server at an address, so that clients of the same user find it. */
export function tokenFileOf(host: string, port: number): string {
  const data = process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share');
  return join(data, 'vimana', 'tokens', `${host.replaceAll(/[^\w.]/g, '-')}_${port}`);
}

/** Creates a new token in a file that only its owner may read. */
export function createAccessToken(file: string): AccessToken {
  const token = randomBytes(32).toString('base64url');
  createPrivateDirectory(dirname(file));
  writePrivateFile(file, `${token}\n`);
  return accessToken(file, token, () => {
    // Another process may use the port by now.
    if (readToken(file) === token) rmSync(file, { force: true });
  });
}

/** Reads the token that an administrator has put into a file, or creates one if the file does not exist. */
export function openAccessToken(file: string): AccessToken {
  let token: string | undefined;
  try {
    token = readToken(file);
    if (token === undefined) {
      token = randomBytes(32).toString('base64url');
      writePrivateFile(file, `${token}\n`);
    }
  } catch (cause) {
    throw new ConfigError(`the token file ${file} cannot be used: ${(cause as Error).message}`, { cause });
  }
  if (token.length < MIN_LENGTH) {
    throw new ConfigError(`the token in ${file} is shorter than ${MIN_LENGTH} characters`, {
      hint: 'Delete the file to create one with a new token.',
    });
  }
  if ((statSync(file).mode & READABLE_BY_OTHERS) !== 0) {
    throw new ConfigError(`the token file ${file} can be read by every user`, { hint: `chmod 600 ${file}` });
  }
  return accessToken(file, token, () => {});
}

/** Reads the token in a file, or returns undefined if there is none. */
export function readToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function accessToken(file: string, token: string, remove: () => void): AccessToken {
  const expected = hashOf(token);
  return { file, matches: (given) => timingSafeEqual(hashOf(given), expected), remove };
}

const hashOf = (token: string) => createHash('sha256').update(token).digest();
