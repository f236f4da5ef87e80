import { goQuote } from '#platform/base/go-value';
import { type Attributes, isPath } from './attributes.ts';

/** Represents a denial as a Kubernetes Status. */
export interface ForbiddenStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: 'Forbidden';
  readonly details: { readonly name?: string; readonly group?: string; readonly kind?: string };
  readonly code: 403;
}

/** Describes what the user may not do, without the object in front: `User "x" cannot list resource "pods" ...`. */
export function cannot(attributes: Attributes): string {
  const who = `User ${goQuote(attributes.user.name)} cannot ${attributes.verb}`;
  if (isPath(attributes)) return `${who} path ${goQuote(attributes.path)}`;
  const { resource, subresource, group, namespace } = attributes;
  const what = subresource ? `${resource}/${subresource}` : resource;
  const where = namespace ? `in the namespace ${goQuote(namespace)}` : 'at the cluster scope';
  return `${who} resource ${goQuote(what)} in API group ${goQuote(group)} ${where}`;
}

/** Returns the whole message of a 403, followed by the authorizer's reason if it has one. */
export function forbiddenMessage(attributes: Attributes, reason = ''): string {
  return `${forbiddenObject(attributes)}: ${cannot(attributes)}${reason === '' ? '' : `: ${reason}`}`;
}

/** Returned for a request that is not allowed. */
export function forbiddenStatus(attributes: Attributes, reason = ''): ForbiddenStatus {
  return statusOf(attributes, forbiddenMessage(attributes, reason));
}

/**
 * Returned for a write that the user may make in general but not with this content: `roles.x "a" is forbidden:
 * <detail>`.
 */
export function forbiddenWrite(attributes: Attributes, detail: string): ForbiddenStatus {
  return statusOf(attributes, `${forbiddenObject(attributes)}: ${detail}`);
}

function statusOf(attributes: Attributes, message: string): ForbiddenStatus {
  const details = isPath(attributes)
    ? {}
    : {
        ...(attributes.name ? { name: attributes.name } : {}),
        ...(attributes.group ? { group: attributes.group } : {}),
        kind: attributes.resource,
      };
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Forbidden',
    details,
    code: 403,
  };
}

function forbiddenObject(attributes: Attributes): string {
  if (isPath(attributes)) return 'forbidden';
  const { resource, group, name } = attributes;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  return name ? `${qualified} ${goQuote(name)} is forbidden` : `${qualified} is forbidden`;
}
