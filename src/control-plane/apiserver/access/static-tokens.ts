import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '#platform/base/errors';
import { createPrivateDirectory, writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import { parseCsv } from './csv.ts';
import { AUTHENTICATED, type User } from './user.ts';

/** Holds tokens of users for as long as the process runs. Only their hashes are stored. */
export class StaticTokens {
  readonly #users = new Map<string, { readonly hash: Buffer; readonly user: User }>();

  /** Adds a token, or assigns an existing one to this user. */
  add(token: string, user: User): void {
    const hash = hashOf(token);
    const groups = user.groups.includes(AUTHENTICATED) ? user.groups : [...user.groups, AUTHENTICATED];
    this.#users.set(hash.toString('base64'), { hash, user: { ...user, groups } });
  }

  /** Returns the user of a token. The time this takes reveals nothing about how much of a token was right. */
  find(token: string): User | undefined {
    const hash = hashOf(token);
    const entry = this.#users.get(hash.toString('base64'));
    return entry && timingSafeEqual(entry.hash, hash) ? entry.user : undefined;
  }
}

/**
 * Parses a token file in Kubernetes' format: token, user, uid and, optionally, groups in one quoted field. All invalid
 * lines are reported together, by number, never with their content.
 */
export function readTokenFile(text: string, file: string): { token: string; user: User }[] {
  const problems: string[] = [];
  const users: { token: string; user: User }[] = [];
  for (const { line, fields } of parseCsv(text)) {
    const [token = '', name = '', uid = '', groups = ''] = fields ?? [];
    if (fields === undefined) problems.push(`line ${line}: a quote is not closed`);
    else if (fields.length < 3)
      problems.push(`line ${line}: needs token, user name and user uid, found ${fields.length} fields`);
    else if (token === '') problems.push(`line ${line}: the token is empty`);
    else if (name === '') problems.push(`line ${line}: the user name is empty`);
    else {
      const split = groups === '' ? [] : groups.split(',').map((group) => group.trim());
      users.push({ token, user: { name, ...(uid === '' ? {} : { uid }), groups: split } });
    }
  }
  if (problems.length > 0) throw new ConfigError(`token file ${file}: ${problems.join('; ')}`);
  return users;
}

/** Returns the administrator's token, which is created at the first start in a file that only the owner can read. */
export function openAdminToken(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new ConfigError(`${file} cannot be read`, { cause: error });
    token = randomBytes(32).toString('base64url');
    createPrivateDirectory(dirname(file));
    writePrivateFile(file, `${token}\n`);
  }
  if (token === '') throw new ConfigError(`${file} is empty`, { hint: 'Delete it to create a new token.' });
  return token;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
