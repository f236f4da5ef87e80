import type { Attributes } from '../access/attributes.ts';
import { type Impersonator, requestedUser } from '../access/impersonation.ts';
import { nameSelected } from '../access/name-selected.ts';
import { accessDenied } from '../access-denied.ts';
import { badRequest } from '../api-error.ts';
import { authorizedNamespace, type RequestPath, type ResourcePath } from '../request-path.ts';
import type { ApiRequest } from './api-request.ts';
import { isWatch } from './options.ts';

/** What a request does to a resource, in the words that roles use; '' where they have none for it. */
export function verbOf({ method, query }: Pick<ApiRequest, 'method' | 'query'>, { name, watch }: ResourcePath): string {
  // Under this old path, Kubernetes calls every method a watch.
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

/** A request as authorisation sees it. */
export function attributesOf(request: ApiRequest, path: RequestPath): Attributes {
  const { user, method } = request;
  if (path.kind === 'other') return { user, verb: method.toLowerCase(), path: path.path };
  const { group, plural: resource, subresource } = path;
  const verb = verbOf(request, path);
  // Under the old path of watches, Kubernetes does not look for a name that is selected.
  const isSelecting = (verb === 'list' || verb === 'watch') && !path.watch;
  const byName = isSelecting ? nameSelected(request.query.get('fieldSelector')) : '';
  const namespace = authorizedNamespace(resource, path.namespace, path.name);
  return { user, verb, group, resource, subresource, namespace, name: path.name === '' ? byName : path.name };
}

/** The request as the user that its headers ask to be; refused where the sender may not. */
export function impersonateUser(impersonator: Impersonator, request: ApiRequest, path: RequestPath): ApiRequest {
  const wanted = requestedUser(request.headers);
  if (wanted === undefined) return request;
  if ('problem' in wanted) throw badRequest(wanted.problem);
  const outcome = impersonator.impersonate(wanted.user, attributesOf(request, path));
  if ('forbidden' in outcome) throw accessDenied(outcome.forbidden, outcome.reason);
  if (request.notes !== undefined) request.notes.impersonatedUser = outcome.user;
  return Object.create(request, { user: { value: outcome.user, enumerable: true } }) as ApiRequest;
}
