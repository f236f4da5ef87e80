import { nameSelected } from '../access/name-selected.ts';
import type { User } from '../access/user.ts';
import { parsePath, type RequestPath } from '../request-path.ts';
import type { SentObject } from './api-request.ts';
import { verbOf } from './request-attributes.ts';
import type { FinishedRequest } from './server.ts';

/** Formats one line of JSON for a finished request, in the shape of Kubernetes' audit events at the level Metadata. */
export function auditLine({ request, method, path, status, auditId }: FinishedRequest, time: string): string {
  const { user, notes } = request ?? {};
  const event = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: auditId,
    stage: 'ResponseComplete',
    requestURI: path,
    ...aboutOf(method, path, notes?.object),
    user: user === undefined ? {} : userInfo(user),
    ...(notes?.impersonatedUser === undefined ? {} : { impersonatedUser: userInfo(notes.impersonatedUser) }),
    userAgent: request?.header('user-agent') ?? '',
    responseStatus: { code: status },
    requestReceivedTimestamp: time,
  };
  return `${JSON.stringify(event)}\n`;
}

function userInfo({ name: username, uid, groups, extra }: User) {
  return { username, uid, groups, extra };
}

/**
 * Describes the target of a request by its request line and its object, which is all that is known of an unauthorized
 * one.
 */
function aboutOf(method: string, target: string, object: SentObject = {}) {
  const [path = '', search = ''] = target.split('?', 2);
  const place = pathOf(path);
  if (place.kind === 'other') return { verb: method.toLowerCase() };
  const query = new URLSearchParams(search);
  const verb = verbOf({ method, query }, place);
  const selected = verb === 'list' || verb === 'watch' ? nameSelected(query.get('fieldSelector')) : '';
  const { plural: resource, subresource, group: apiGroup, version: apiVersion } = place;
  return {
    verb,
    objectRef: {
      resource,
      namespace: place.namespace || object.namespace || undefined,
      name: place.name || selected || object.name || undefined,
      uid: object.uid || undefined,
      apiGroup: apiGroup || undefined,
      apiVersion,
      resourceVersion: object.resourceVersion || undefined,
      subresource: subresource || undefined,
    },
  };
}

function pathOf(path: string): RequestPath {
  try {
    return parsePath(path);
  } catch {
    return { kind: 'other', path };
  }
}
