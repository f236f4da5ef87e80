import type { BasicCredentials } from '../credentials.ts';

interface DockerAuth {
  readonly auth?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
}

/** Names of Docker Hub in configurations that its tools write. */
const DOCKER_HUB = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

/**
 * Returns the credentials of a repository in the text of a .dockerconfigjson. As in a kubelet, a key may contain a
 * path, and the longest match counts. Returns undefined if there are none, and throws if the text is malformed.
 */
export function dockerCredentials(text: string, registry: string, repository: string): BasicCredentials | undefined {
  const { auths } = JSON.parse(text) as { readonly auths?: Readonly<Record<string, DockerAuth>> };
  let best: { readonly length: number; readonly auth: DockerAuth } | undefined;
  for (const [key, auth] of Object.entries(auths ?? {})) {
    const length = matchLength(key, registry, repository);
    if (length !== undefined && length >= (best?.length ?? 0)) best = { length, auth };
  }
  return best === undefined ? undefined : credentialsOf(best.auth);
}

function matchLength(key: string, registry: string, repository: string): number | undefined {
  const [host = '', ...path] = key
    .replace(/^https?:\/\//, '')
    .replace(/\/v[12]\/?$/, '')
    .split('/');
  const isSame = host === registry || (DOCKER_HUB.has(host) && DOCKER_HUB.has(registry));
  if (!isSame) return undefined;
  const prefix = path.filter((part) => part !== '').join('/');
  return prefix === '' || repository === prefix || repository.startsWith(`${prefix}/`) ? prefix.length : undefined;
}

function credentialsOf({ auth, username, password }: DockerAuth): BasicCredentials | undefined {
  if (typeof username === 'string' && typeof password === 'string') return { username, password };
  if (typeof auth !== 'string') return undefined;
  const decoded = Buffer.from(auth, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
