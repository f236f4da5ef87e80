/** What a path names, as Kubernetes' request info has it. */
export type RequestPath = ResourcePath | { readonly kind: 'other'; readonly path: string };

export interface ResourcePath {
  readonly kind: 'resource';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource: string;
  /** What follows the subresource: `proxy/a/b` has `a/b`. */
  readonly rest: string;
  readonly namespace: string;
  readonly name: string;
  /** The old form /api/v1/watch/..., which watches without being asked by a parameter. */
  readonly watch: boolean;
  /** Whether a segment is empty. Roles are asked about such a path, but nothing is served there. */
  readonly hasEmptySegment: boolean;
}

/**
 * Splits a path; what is no resource (discovery, health, a single segment) is `other`, decoded. The path is decoded
 * before it is split, so that a slash is one however it is spelled, for roles and for routes alike. Throws on bad
 * percent codes.
 */
export function parsePath(encoded: string): RequestPath {
  const path = encoded.includes('%') ? decodeURIComponent(encoded) : encoded;
  const parts = withoutOuterSlashes(path).split('/');
  const root = parts[0];
  const other = { kind: 'other', path } as const;
  if (root !== 'api' && root !== 'apis') return other;
  const [group, version, ...named] = root === 'api' ? ['', ...parts.slice(1)] : parts.slice(1);
  if (group === undefined || version === undefined || named.length === 0) return other;
  const watch = named[0] === 'watch';
  const segments = watch ? named.slice(1) : named;
  if (segments.length === 0) return other;
  return { kind: 'resource', group, version, watch, hasEmptySegment: path.includes('//'), ...place(segments) };
}

/** The namespace that roles are asked about. A namespace is in itself, so that a role inside it can allow to read it. */
export function authorizedNamespace(plural: string, namespace: string, name: string): string {
  return plural === 'namespaces' && namespace === '' ? name : namespace;
}

function withoutOuterSlashes(path: string): string {
  let [start, end] = [0, path.length];
  while (start < end && path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return path.slice(start, end);
}

/** `namespaces/x/pods/y` is a pod in x; `namespaces/x`, `namespaces/x/status` and `/finalize` are the namespace itself. */
function place(segments: readonly string[]) {
  const [first = '', second = '', third = ''] = segments;
  const inNamespace = first === 'namespaces' && segments.length > 2 && third !== 'status' && third !== 'finalize';
  const [plural = '', name = '', subresource = '', ...rest] = inNamespace ? segments.slice(2) : segments;
  return { namespace: inNamespace ? second : '', plural, name, subresource, rest: rest.join('/') };
}
