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
}

/** Splits a path; what is no resource (discovery, health, a single segment) is `other`. Throws on bad percent codes. */
export function parsePath(path: string): RequestPath {
  const parts = path.split('/').filter((part) => part !== '');
  const root = parts[0];
  const other = { kind: 'other', path } as const;
  if ((root !== 'api' && root !== 'apis') || path.includes('//')) return other;
  const [group, version, ...named] = root === 'api' ? ['', ...parts.slice(1)] : parts.slice(1);
  if (group === undefined || version === undefined || named.length === 0) return other;
  const watch = named[0] === 'watch';
  const segments = (watch ? named.slice(1) : named).map(decodeURIComponent);
  return segments.length === 0 ? other : { kind: 'resource', group, version, watch, ...place(segments) };
}

/** `namespaces/x/pods/y` is a pod in x; `namespaces/x`, `namespaces/x/status` and `/finalize` are the namespace itself. */
function place(segments: readonly string[]) {
  const [first = '', second = '', third = ''] = segments;
  const inNamespace = first === 'namespaces' && segments.length > 2 && third !== 'status' && third !== 'finalize';
  const [plural = '', name = '', subresource = '', ...rest] = inNamespace ? segments.slice(2) : segments;
  return { namespace: inNamespace ? second : '', plural, name, subresource, rest: rest.join('/') };
}
