import type { KubeObject } from '../../kube/kube-object.ts';
import { badRequest } from '../api-error.ts';
import type { Call } from '../call.ts';
import { apiVersionOf, type Resource } from '../resource.ts';

/** Makes an object of the resource's kind of a decoded body: types, unknown fields, defaults. Changes the body in place. */
export function decodeBody(resource: Resource, body: unknown, call: Call): KubeObject {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): not a JSON object`);
  }
  checkType(resource, body as KubeObject);
  const { object, unknown } = resource.shape.read(body as KubeObject);
  reportUnknown(resource, unknown, call);
  object.metadata ??= {};
  resource.shape.applyDefaults(object);
  resource.strategy.defaults?.(object);
  return object;
}

/** Refuses a body that says it is something else. */
export function checkType(resource: Resource, object: KubeObject): void {
  const { kind = '', apiVersion = '' } = object as Partial<KubeObject>;
  if (kind === '' && apiVersion === '' && !resource.custom) return;
  const expected = apiVersionOf(resource);
  if (kind === resource.kind && apiVersion === expected) return;
  if (kind === '') throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(object)}'`);
  if (apiVersion === '') throw badRequest(`Object 'apiVersion' is missing in '${JSON.stringify(object)}'`);
  if (kind === resource.kind) {
    const found = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequest(
      `the API version in the data (${found.replace(/^\//, '')}) does not match the expected API version (${expected})`,
    );
  }
  throw badRequest(`${kind} in version "${apiVersion.split('/').at(-1)}" cannot be handled as a ${resource.kind}`);
}

/** Fields that the kind does not have: refused, told, or dropped in silence, as the client asked. */
export function reportUnknown(resource: Resource, paths: readonly string[], call: Call): void {
  if (paths.length === 0 || call.fieldValidation === 'Ignore') return;
  const found = paths.map((path) => `unknown field "${path}"`);
  if (call.fieldValidation === 'Warn') {
    call.warnings.push(...found);
    return;
  }
  throw badRequest(
    `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: strict decoding error: ${found.join(', ')}`,
  );
}
