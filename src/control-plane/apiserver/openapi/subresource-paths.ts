import type { Subresource } from '../resource.ts';
import { componentName } from './component-name.ts';
import { type GroupVersionKind, type Method, type OpenApiOperation, type PathOperations, title } from './operation.ts';
import { CONNECT_PARAMETERS, LOG_PARAMETERS, type Parameter, PROXY_PATH } from './parameter.ts';
import { ANY_MEDIA, type ResourceOperations } from './resource-operations.ts';

/** Methods by the verb of a subresource that opens a connection. */
const CONNECT_METHODS: Readonly<Record<string, Method>> = {
  get: 'get',
  update: 'put',
  create: 'post',
  delete: 'delete',
  patch: 'patch',
};

/** Returns the paths of one subresource, which begin with `path`. */
export function subresourcePaths(make: ResourceOperations, path: string, subresource: Subresource): PathOperations[] {
  const gvk = gvkOf(make, subresource);
  if (subresource.name === 'log') return [{ path, operations: [log(make)] }];
  const connects = CONNECT_PARAMETERS[subresource.kind];
  if (connects !== undefined) return connectPaths(make, path, subresource, gvk, connects);
  return [{ path, operations: objectOperations(make, subresource).map((operation) => ({ ...operation, gvk })) }];
}

/** Returns the operations of subresources that are read and written as objects: status, scale, eviction. */
function objectOperations(
  make: ResourceOperations,
  { name, verbs, group, version, kind }: Subresource,
): OpenApiOperation[] {
  const own = make.resource;
  const component = version === '' ? componentName(own.group, own.version, kind) : componentName(group, version, kind);
  const named = `${make.scopedKind}${title(name)}`;
  const what = `the ${name} of one ${own.kind}`;
  const found: OpenApiOperation[] = [];
  if (verbs.includes('get')) found.push(make.read(named, `Reads ${what}.`, component));
  if (verbs.includes('update')) found.push(make.replace(named, `Replaces ${what}.`, component));
  if (verbs.includes('create')) found.push(make.create(named, `Creates ${what}.`, component, make.item));
  if (verbs.includes('patch')) found.push(make.patch(named, `Changes parts of ${what}.`, component));
  return found;
}

function log(make: ResourceOperations): OpenApiOperation {
  const { kind } = make.resource;
  return {
    ...make.operation('get', 'read', `${make.scopedKind}Log`, `Reads the log of one ${kind}.`),
    parameters: [make.name, ...make.scope, ...LOG_PARAMETERS],
    produces: ['text/plain', ...make.media],
    responses: { 200: null },
    action: 'get',
  };
}

/** Returns the paths of a connection. A proxy also has the rest of the path, and the methods without a verb. */
function connectPaths(
  make: ResourceOperations,
  path: string,
  { name, verbs }: Subresource,
  gvk: GroupVersionKind,
  own: readonly Parameter[],
): PathOperations[] {
  const proxy = name === 'proxy';
  const methods = verbs.flatMap((verb) => CONNECT_METHODS[verb] ?? []);
  const operations = (suffix: string, extra: readonly Parameter[]): OpenApiOperation[] =>
    [...methods, ...(proxy ? (['options', 'head'] as const) : [])].map((method) => ({
      ...make.operation(
        method,
        'connect',
        `${title(method)}${make.scopedKind}${title(name)}${suffix}`,
        `Connects a ${method.toUpperCase()} request to the ${name} of one ${make.resource.kind}.`,
      ),
      parameters: [make.name, ...make.scope, ...own, ...extra],
      consumes: ANY_MEDIA,
      produces: ANY_MEDIA,
      responses: { 200: null },
      action: 'connect',
      gvk,
    }));
  return [
    { path, operations: operations('', []) },
    ...(proxy ? [{ path: `${path}/{path}`, operations: operations('WithPath', [PROXY_PATH]) }] : []),
  ];
}

/** Returns the kind of a subresource. Subresources of custom resources have the kind of the resource. */
function gvkOf({ resource, gvk }: ResourceOperations, { group, version, kind }: Subresource): GroupVersionKind {
  if (resource.custom) return gvk;
  return version === '' ? { ...gvk, kind } : { group, version, kind };
}
