/** Target of a path, as in Kubernetes' RequestInfo. */
export type RequestPath = ResourcePath | { readonly kind: 'other'; readonly path: string };

export interface ResourcePath {
  readonly kind: 'resource';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource: string;
  /** Path after the subresource: `proxy/a/b` has `a/b`. */
  readonly rest: string;
  readonly namespace: string;
  readonly name: string;
  /** Set for the old form /api/v1/watch/..., which watches without the watch parameter. */
  readonly watch: boolean;
  /** Set if a segment is empty. Such a path is authorized, but nothing is served there. */
  readonly hasEmptySegment: boolean;
}

/**
 * Parses a path; anything that is not a resource (discovery, health, a single segment) is `other`, decoded. The path is
 * decoded before it is split, so that authorization and routing treat an encoded slash alike. Throws on invalid
 * percent-encoding.
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

/**
 * Returns the namespace to authorize against. A Namespace belongs to itself, so that a role inside it can allow reading
 * it.
 */
export function authorizedNamespace(plural: string, namespace: string, name: string): string {
  return plural === 'namespaces' && namespace === '' ? name : namespace;
}

function withoutOuterSlashes(path: string): string {
  let [start, end] = [0, path.length];
  while (start < end && path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return path.slice(start, end);
}

/**
 * Parses the namespace: `namespaces/x/pods/y` is a pod in x; `namespaces/x`, `namespaces/x/status` and `/finalize` are
 * the Namespace itself.
 */
function place(segments: readonly string[]) {
  const [first = '', second = '', third = ''] = segments;
  const inNamespace = first === 'namespaces' && segments.length > 2 && third !== 'status' && third !== 'finalize';
  const [plural = '', name = '', subresource = '', ...rest] = inNamespace ? segments.slice(2) : segments;
  return { namespace: inNamespace ? second : '', plural, name, subresource, rest: rest.join('/') };
}
