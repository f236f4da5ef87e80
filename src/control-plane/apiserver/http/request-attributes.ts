import type { Attributes } from '../access/attributes.ts';
import { type Impersonator, requestedUser } from '../access/impersonation.ts';
import { nameSelected } from '../access/name-selected.ts';
import { accessDenied } from '../access-denied.ts';
import { badRequest } from '../api-error.ts';
import { authorizedNamespace, type RequestPath, type ResourcePath } from '../request-path.ts';
import type { ApiRequest } from './api-request.ts';
import { isWatch } from './options.ts';

/** Returns the RBAC verb of a resource request; '' if there is none. */
export function verbOf({ method, query }: Pick<ApiRequest, 'method' | 'query'>, { name, watch }: ResourcePath): string {
  // Under this old path, Kubernetes treats every method as a watch.
  if (watch) return 'watch';
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (name !== '') return 'get';
      return isWatch(query) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return '';
  }
}

/** Returns the attributes of a request for authorization. */
export function attributesOf(request: ApiRequest, path: RequestPath): Attributes {
  const { user, method } = request;
  if (path.kind === 'other') return { user, verb: method.toLowerCase(), path: path.path };
  const { group, plural: resource, subresource } = path;
  const verb = verbOf(request, path);
  // Under the old watch path, Kubernetes ignores a name in the field selector.
  const isSelecting = (verb === 'list' || verb === 'watch') && !path.watch;
  const byName = isSelecting ? nameSelected(request.query.get('fieldSelector')) : '';
  const namespace = authorizedNamespace(resource, path.namespace, path.name);
  return { user, verb, group, resource, subresource, namespace, name: path.name === '' ? byName : path.name };
}

/** Returns the request as the user that its headers impersonate. Rejects it if the sender may not. */
export function impersonateUser(impersonator: Impersonator, request: ApiRequest, path: RequestPath): ApiRequest {
  const desired = requestedUser(request.headers);
  if (desired === undefined) return request;
  if ('problem' in desired) throw badRequest(desired.problem);
  const outcome = impersonator.impersonate(desired.user, attributesOf(request, path));
  if ('forbidden' in outcome) throw accessDenied(outcome.forbidden, outcome.reason);
  if (request.notes !== undefined) request.notes.impersonatedUser = outcome.user;
  return Object.create(request, { user: { value: outcome.user, enumerable: true } }) as ApiRequest;
}
