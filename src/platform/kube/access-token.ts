import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigError } from '#platform/base/errors';
import { createPrivateDirectory, writePrivateFile } from './kubeconfig/private-file.ts';

/** The secret that lets a client of one of our HTTP servers change something. */
export interface AccessToken {
  readonly file: string;
  /** Takes the same time however much of the given token is right. */
  matches(given: string): boolean;
  /** Deletes the file, if it holds the token of this process alone. */
  remove(): void;
}

const MIN_LENGTH = 16;
const READABLE_BY_OTHERS = 0o004;

/** Where the token of a server at an address is, so that clients of the same user find it. */
export function tokenFileOf(host: string, port: number): string {
  const data = process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share');
  return join(data, 'vimana', 'tokens', `${host.replaceAll(/[^\w.]/g, '-')}_${port}`);
}

/** Creates a token that no process had before, in a file that only its owner may read. */
export function createAccessToken(file: string): AccessToken {
  const token = randomBytes(32).toString('base64url');
  createPrivateDirectory(dirname(file));
  writePrivateFile(file, `${token}\n`);
  return accessToken(file, token, () => {
    // Another process may have the port by now.
    if (readToken(file) === token) rmSync(file, { force: true });
  });
}

/** Reads the token that an administrator has put into a file; creates one if the file is not there. */
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
      hint: 'Delete the file, and one with a new token is created.',
    });
  }
  if ((statSync(file).mode & READABLE_BY_OTHERS) !== 0) {
    throw new ConfigError(`the token file ${file} can be read by every user`, { hint: `chmod 600 ${file}` });
  }
  return accessToken(file, token, () => {});
}

/** The token in a file; undefined if there is none. */
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
