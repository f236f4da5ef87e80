import { append } from '#platform/base/append';
import { runSteps, type Steps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import { badRequest } from '../api-error.ts';
import type { RequestContext } from '../request-context.ts';
import type { Resource } from '../resource.ts';
import { checkType, notAnObject, unrecognizedObject } from './object-type.ts';

/**
 * Decodes a body into an object of the resource's kind: types, unknown fields, defaults. Modifies the body in place.
 */
export function decodeBody(resource: Resource, body: unknown, call: RequestContext): KubeObject {
  return runSteps(bodyDecoding(resource, body, call));
}

/** Does the same in steps. */
export function* bodyDecoding(resource: Resource, body: unknown, call: RequestContext): Steps<KubeObject> {
  if (typeof body !== 'object' || Array.isArray(body)) throw unrecognizedObject(resource, body, notAnObject(body));
  // Go decodes null as an object without fields.
  const sent = (body ?? {}) as KubeObject;
  checkType(resource, sent);
  yield;
  const { object, unknown } = yield* resource.shape.read(sent);
  reportUnknown(resource, unknown, call);
  object.metadata ??= {};
  yield;
  resource.shape.applyDefaults(object);
  resource.strategy.defaults?.(object);
  return object;
}

/** Handles unknown fields: rejects, warns or ignores, as the client requested. */
export function reportUnknown(
  resource: Pick<Resource, 'kind' | 'version'>,
  paths: readonly string[],
  call: RequestContext,
): void {
  if (call.fieldValidation === 'Ignore') return;
  const found = call.problems?.(paths) ?? paths.map((path) => `unknown field "${path}"`);
  if (found.length === 0) return;
  if (call.fieldValidation === 'Warn') {
    append(call.warnings, found);
    return;
  }
  throw badRequest(
    `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: strict decoding error: ${found.join(', ')}`,
  );
}
