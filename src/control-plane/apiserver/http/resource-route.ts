import { type ApiError, methodNotAllowed, methodNotSupported, noSuchResource, notFound } from '../api-error.ts';
import type { ResourcePath } from '../request-path.ts';
import type { Resource } from '../resource.ts';

/** Holds the parts of a resource request that decide whether its path exists. */
export interface ResourceRoute {
  readonly resource: Pick<Resource, 'group' | 'plural' | 'namespaced' | 'verbs' | 'custom'> & {
    readonly subresources: ReadonlyMap<string, { readonly verbs: readonly string[] }>;
  };
  readonly path: Pick<ResourcePath, 'namespace' | 'name' | 'subresource' | 'rest' | 'watch'>;
  readonly method: string;
  /** Verb of the method; '' if resources have none for it. */
  readonly verb: string;
}

/** Returned if the path does not exist, not even in an API that could report so. */
export const NO_PAGE = 'no page';

/** Returns why a request has no handler, before anything else is known of it; undefined if it has one. */
export function routeProblem(route: ResourceRoute): ApiError | typeof NO_PAGE | undefined {
  return route.resource.custom ? customProblem(route) : builtInProblem(route);
}

const PROXIED = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OF_ONE = ['get', 'update', 'patch', 'delete'];
const COLLECTION_VERBS = ['list', 'create', 'deletecollection'];
const OF_ALL = ['list'];

/**
 * Checks a request for a built-in resource, which has a route for each path and method. A request that matches none
 * gets one of two errors.
 */
function builtInProblem({ resource, path, method, verb }: ResourceRoute): ApiError | undefined {
  const { namespaced, verbs } = resource;
  const { namespace, name, subresource, rest } = path;
  const everywhere = namespaced && namespace === '';
  if (namespace !== '' && !namespaced) return noSuchResource();
  if (name !== '' && everywhere) return noSuchResource();
  if (path.watch) return method === 'GET' && verbs.includes('watch') ? undefined : methodNotAllowed();
  if (subresource !== '') {
    const known = resource.subresources.get(subresource);
    if (known === undefined || (rest !== '' && subresource !== 'proxy')) return noSuchResource();
    const served = subresource === 'proxy' ? PROXIED.has(method) : method !== 'HEAD' && known.verbs.includes(verb);
    return served ? undefined : methodNotAllowed();
  }
  const here = name !== '' ? OF_ONE : everywhere ? OF_ALL : COLLECTION_VERBS;
  if (!here.some((each) => verbs.includes(each))) return noSuchResource();
  // Anything that can be listed has a route for watches too, which rejects them itself if they are not supported.
  if (verb === 'watch' && method === 'GET' && verbs.includes('list')) return undefined;
  return method !== 'HEAD' && here.includes(verb) && verbs.includes(verb) ? undefined : methodNotAllowed();
}

/** Checks a request for a custom resource. All of them share one route, which checks only the scope. */
function customProblem({ resource, path, verb }: ResourceRoute): typeof NO_PAGE | undefined {
  const reading = verb === 'list' || verb === 'watch';
  if (!resource.namespaced) return path.namespace === '' ? undefined : NO_PAGE;
  return path.namespace !== '' || (path.name === '' && reading) ? undefined : NO_PAGE;
}

/** Returns why an existing resource does not support the request. */
export function verbProblem({ resource, path, verb }: ResourceRoute): ApiError | undefined {
  const { subresource, name } = path;
  if (subresource === '' || !resource.custom) {
    if (verb === 'watch' || (resource.custom && subresource === '')) {
      return resource.verbs.includes(verb) ? undefined : methodNotSupported(resource, verb);
    }
    return undefined;
  }
  const known = resource.subresources.get(subresource);
  if (known === undefined) return notFound(resource, name);
  return known.verbs.includes(verb) ? undefined : methodNotSupported(resource, verb);
}
