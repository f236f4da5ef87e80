import { invalid as invalidField } from '#platform/base/field-error';
import { copyJson } from '#platform/base/json-copy';
import type { KubeObject } from '#platform/kube/kube-object';
import { type ApiError, badRequest, invalid, notFound } from '../api-error.ts';
import { type Backend, storeOf } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import { apiVersionOf, keyOf } from '../resource.ts';
import { stageOf } from '../stage-barrier.ts';
import { checkCreation, createObject, NAMESPACE_MISMATCH } from './create.ts';
import { bodyDecoding } from './decode.ts';
import { checkUid } from './frozen-metadata.ts';
import { guaranteedUpdate } from './guaranteed-update.ts';
import { badVersion, expectedVersion, isVersion } from './resource-version.ts';
import type { StoredResult } from './store-object.ts';
import type { Target } from './target.ts';

/** Handles PUT: replaces an object, or only its status. */
export async function updateObject(
  backend: Backend,
  target: Target,
  body: unknown,
  call: RequestContext,
): Promise<StoredResult> {
  const { resource, namespace, name } = target;
  const decoding = stageOf(backend.thread, call.size ?? 0, call.user, bodyDecoding(resource, body, call));
  const object = decoding instanceof Promise ? await decoding : decoding;
  checkPlace(target, object);
  const requested = expectedVersion(object.metadata);
  const exists = () => storeOf(backend, resource).latest(keyOf(resource, namespace, name)) !== undefined;
  if (resource.strategy.createOnUpdate === true && !exists()) {
    if (target.subresource !== '') throw notCreatedError(backend, target, call);
    const { problems: _told, ...rest } = call;
    checkUid(target, object.metadata);
    if (requested !== '' && !isVersion(requested)) throw badVersion(requested);
    delete object.metadata.resourceVersion;
    return await createObject(backend, resource, namespace, object, rest, { requested: target });
  }
  if (requested === '' && resource.strategy.unconditionalUpdate !== true) {
    if (!exists()) throw notFound(resource, name);
    checkVersioned(target, object);
  }
  const replace = (current: KubeObject): KubeObject => {
    checkUid(target, object.metadata, current.metadata);
    return requested === '' ? copyJson(object) : object;
  };
  return await guaranteedUpdate(backend, target, replace, call);
}

/**
 * Returns the error for a subresource write to an object that does not exist, if such a write could create it.
 * kube-apiserver does create it, but without anything that a new object is given, such as the address of a Service.
 */
export function notCreatedError(backend: Backend, target: Target, call: RequestContext): ApiError {
  if (target.resource.strategy.createOnUpdate === true) checkCreation(backend, target, call);
  return notFound(target.resource, target.name);
}

/** Rejects an unconditional update of a kind that requires a resourceVersion. */
export function checkVersioned({ resource, name }: Target, { metadata }: KubeObject): void {
  if (expectedVersion(metadata) !== '' || resource.strategy.unconditionalUpdate === true) return;
  const cause = invalidField('metadata.resourceVersion', 0, 'must be specified for an update');
  throw invalid({ group: resource.group, kind: resource.plural }, name, [cause]);
}

export function namelessObject(name: string): ApiError {
  return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
}

/** Checks that the name and namespace of an object match the path. */
export function checkPlace({ resource, namespace, name }: Target, object: KubeObject): void {
  object.kind = resource.kind;
  object.apiVersion = apiVersionOf(resource);
  const { metadata } = object;
  if (resource.namespaced) {
    if ((metadata.namespace ?? '') === '') metadata.namespace = namespace;
    if (metadata.namespace !== namespace) throw badRequest(NAMESPACE_MISMATCH);
  }
  if ((metadata.name ?? '') === '') throw namelessObject(name);
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
}
