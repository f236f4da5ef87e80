/** Image in a registry. */
export interface OciReference {
  /** Host of the registry, with its port if it is not the default one. */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  /** Digest of the manifest, as algorithm:hex. */
  readonly digest?: string;
}

const REPOSITORY = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;
const MAX_LENGTH = 1024;

/**
 * Parses the name of a container image as Docker does: without a host it is on docker.io, and a single word there is an
 * official image. Returns undefined if it is malformed.
 */
export function parseOciReference(text: string): OciReference | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [named = '', digest, ...more] = text.split('@');
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const slash = named.indexOf('/');
  const first = slash < 0 ? '' : named.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === 'localhost';
  const registry = isHost ? first : 'docker.io';
  const rest = isHost ? named.slice(slash + 1) : named;
  const colon = rest.lastIndexOf(':');
  const [path, tag] = colon < 0 ? [rest, undefined] : [rest.slice(0, colon), rest.slice(colon + 1)];
  const repository = !isHost && !path.includes('/') ? `library/${path}` : path;
  if (!HOST.test(registry) || !REPOSITORY.test(repository) || (tag !== undefined && !TAG.test(tag))) return undefined;
  return {
    registry,
    repository,
    ...(tag === undefined && digest === undefined ? { tag: 'latest' } : tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Formats a reference with everything that Docker lets users leave out. */
export function formatOciReference({ registry, repository, tag, digest }: OciReference): string {
  const named = `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}`;
  return digest === undefined ? named : `${named}@${digest}`;
}
