/** Attributes of a resource request for the authorizer. */
export interface ResourceAccess {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Attributes of a non-resource request for the authorizer. */
export interface PathAccess {
  readonly verb: string;
  readonly path: string;
}

export type Access = ResourceAccess | PathAccess;

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Returns the request info of Kubernetes, or undefined if the path is invalid. It is written from the specification, so
 * that it shares no mistake with the server.
 */
export function accessOf(method: string, target: string): Access | undefined {
  const { path, query } = splitTarget(target);
  if (path === undefined) return undefined;
  const other: PathAccess = { verb: method.toLowerCase(), path };
  const parts = path.replace(/^\/+|\/+$/g, '').split('/');
  const isCore = parts[0] === 'api';
  if (!isCore && parts[0] !== 'apis') return other;
  if (parts.length < (isCore ? 3 : 4)) return other;
  const group = isCore ? '' : (parts[1] ?? '');
  const rest = parts.slice(isCore ? 2 : 3);
  let verb = VERBS[method] ?? '';
  if (rest[0] === 'watch' || rest[0] === 'proxy') {
    if (rest.length < 2) return undefined;
    verb = rest.shift() ?? '';
  }
  return { group, ...placeOf(verb, rest, query) };
}

function placeOf(method: string, parts: readonly string[], query: URLSearchParams): Omit<ResourceAccess, 'group'> {
  // The name of a namespace is also the namespace of that object, so that roles inside it can allow reading it.
  const namespace = parts[0] === 'namespaces' ? (parts[1] ?? '') : '';
  const isInside = parts[0] === 'namespaces' && parts.length > 2 && !['status', 'finalize'].includes(parts[2] ?? '');
  const [resource = '', given = '', third = ''] = isInside ? parts.slice(2) : parts;
  const subresource = method === 'proxy' ? '' : third;
  if (given !== '') return { verb: method, resource, subresource, namespace, name: given };
  if (method === 'delete') return { verb: 'deletecollection', resource, subresource, namespace, name: '' };
  if (method !== 'get') return { verb: method, resource, subresource, namespace, name: '' };
  const verb = isTrue(query.get('watch')) ? 'watch' : 'list';
  return { verb, resource, subresource, namespace, name: selectedName(query.get('fieldSelector') ?? '') };
}

function isTrue(value: string | null): boolean {
  return value !== null && !['false', '0'].includes(value.toLowerCase());
}

/** A list that selects one name is authorized for that name. */
function selectedName(selector: string): string {
  for (const term of selector.split(',')) {
    const found = /^metadata\.name==?([^=!]*)$/.exec(term);
    if (found !== null) return /^\.\.?$|[/%]/.test(found[1] ?? '') ? '' : (found[1] ?? '');
  }
  return '';
}

function splitTarget(target: string): { readonly path: string | undefined; readonly query: URLSearchParams } {
  const relative = target.replace(/^https?:\/\/[^/?]*/, '');
  const mark = relative.indexOf('?');
  const path = mark < 0 ? relative : relative.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : relative.slice(mark + 1));
  try {
    return { path: decodeURIComponent(path), query };
  } catch {
    return { path: undefined, query };
  }
}
