import { invalid as invalidField } from '#platform/base/field-error';
import { goJson } from '#platform/base/go-value';
import { copyJson } from '#platform/base/json-copy';
import { runSteps, type Steps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import { goPrint } from '#platform/kube/patches/go-print';
import type { JsonObject } from '#platform/kube/patches/json-object';
import { jsonPatching } from '#platform/kube/patches/json-patch';
import { applyMergePatch } from '#platform/kube/patches/merge-patch';
import { PatchError } from '#platform/kube/patches/patch-error';
import { applyStrategicMergePatch } from '#platform/kube/patches/strategic-merge-patch';
import type { Json } from '#platform/schema/json-schema';
import { ApiError, badRequest, invalid, unsupportedMediaType } from '../api-error.ts';
import { type Backend, storeOf, timestamp } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import { apiVersionOf, keyOf, type Resource } from '../resource.ts';
import { stageOf } from '../stage-barrier.ts';
import { createObject } from './create.ts';
import { bodyDecoding } from './decode.ts';
import { checkNewUid } from './frozen-metadata.ts';
import { guaranteedUpdate } from './guaranteed-update.ts';
import { checkAppliedType, checkPatchedType } from './object-type.ts';
import { badVersion, isVersion } from './resource-version.ts';
import type { StoredResult } from './store-object.ts';
import type { Target } from './target.ts';
import { checkPlace, checkVersioned, notCreatedError } from './update.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Handles PATCH by its content type. */
export async function patchObject(
  backend: Backend,
  target: Target,
  type: string,
  patch: unknown,
  call: RequestContext,
): Promise<StoredResult> {
  const change = changeOf(target.resource, type);
  return await guaranteedUpdate(
    backend,
    target,
    function* (current) {
      const changed = (yield* withPatchErrors(change(current as never, patch as Json))) as unknown as KubeObject;
      const patched = withClearOwners(target.resource, ownObject(target.resource, changed));
      const object =
        type === STRATEGIC_PATCH
          ? yield* patchedDecoding(target.resource, withOwnType(target.resource, patched), call, patch)
          : yield* patchedDecoding(target.resource, patched, call);
      checkPlace(target, object);
      checkVersioned(target, object);
      return object;
    },
    call,
  );
}

/** Restores the type of an object, which a strategic patch cannot change: it is applied to the fields of that type. */
function withOwnType(resource: Resource, object: KubeObject): KubeObject {
  const isText = typeof object.kind === 'string' && typeof object.apiVersion === 'string';
  return isText ? { ...object, kind: resource.kind, apiVersion: apiVersionOf(resource) } : object;
}

/**
 * Returns an object that may be decoded. One that shares values with others is copied, unless decoding does that
 * anyway.
 */
function ownObject({ shape }: Resource, object: KubeObject): KubeObject {
  return shape.copies ? object : copyJson(object);
}

/** Normalizes empty managedFields, which clear all owners, or have no effect for a custom object. */
function withClearOwners({ custom }: Resource, object: KubeObject): KubeObject {
  const owners: unknown = object.metadata?.managedFields;
  if (!Array.isArray(owners) || owners.length > 0) return object;
  const { managedFields: _none, ...metadata } = object.metadata;
  return { ...object, metadata: custom ? metadata : { ...metadata, managedFields: [{}] as never } };
}

/** Patches an object that has no schema, such as a Scale. */
export function patchPlain(object: KubeObject, type: string, patch: unknown): KubeObject {
  const change =
    type === STRATEGIC_PATCH
      ? mergePatching
      : type === JSON_PATCH
        ? jsonPatching
        : type === MERGE_PATCH
          ? mergePatching
          : undefined;
  if (change === undefined) throw unsupportedMediaType();
  return copyJson(runSteps(withPatchErrors(change(object as never, patch as Json)))) as unknown as KubeObject;
}

type Apply = (current: JsonObject, patch: Json) => Steps<JsonObject>;

/** Adapts a patch type that is applied in one step. */
function atOnce(apply: (current: JsonObject, patch: Json) => JsonObject): Apply {
  return function* (current, patch) {
    const patched = apply(current, patch);
    yield;
    return patched;
  };
}

const mergePatching = atOnce(applyMergePatch);

/** Rejects a patch type that the resource does not support, before the patch is read. */
export function checkPatchType(resource: Resource, type: string): void {
  if (type !== APPLY_PATCH) changeOf(resource, type);
}

function changeOf(resource: Resource, type: string): Apply {
  if (type === JSON_PATCH) return jsonPatching;
  if (type === MERGE_PATCH) return mergePatching;
  const { patchSchema } = resource;
  if (type === STRATEGIC_PATCH && patchSchema !== undefined) {
    return atOnce((current, patch) => applyStrategicMergePatch(current, patch, patchSchema));
  }
  // Only a custom kind lists the supported types; the routes of other kinds accept nothing else to begin with.
  throw unsupportedMediaType(resource.custom ? [JSON_PATCH, MERGE_PATCH, APPLY_PATCH] : undefined);
}

function* withPatchErrors<T>(patching: Steps<T>): Steps<T> {
  try {
    return yield* patching;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new ApiError(error.status, error.reason, error.message, error.reason === 'Invalid' ? {} : undefined, error);
  }
}

/** Decodes a patched object. Errors are reported as errors of the patch; a strategic one is quoted. */
function* patchedDecoding(
  resource: Resource,
  object: KubeObject,
  call: RequestContext,
  quoted?: unknown,
): Steps<KubeObject> {
  checkPatchedType(resource, object);
  const strict = call.fieldValidation === 'Strict';
  const before = strict && quoted === undefined ? goJson(object) : undefined;
  const shown = () => before ?? (quoted === undefined ? goJson(object) : goPrint(quoted as Json));
  const warnings: string[] = [];
  try {
    const lenient = strict ? ({ ...call, fieldValidation: 'Warn', warnings } as const) : call;
    const decoded = yield* bodyDecoding(resource, object, lenient);
    if (warnings.length === 0) return decoded;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 400)) throw error;
    const why = quoted === undefined ? firstProblem(resource, shown()) : resource.shape.conversionProblem?.(object);
    throw badPatch(shown(), why ?? problemIn(error));
  }
  throw badPatch(shown(), `strict decoding error: ${warnings.join(', ')}`);
}

/** Returns the first problem of the quoted text, whose fields are in another order than in the object. */
function firstProblem(resource: Resource, text: string): string | undefined {
  try {
    runSteps(resource.shape.read(JSON.parse(text) as KubeObject));
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? problemIn(error) : undefined;
  }
}

/** Returns why an object cannot be decoded, without the expected kind. */
function problemIn({ message }: ApiError): string {
  return message.replace(/^.*? cannot be handled as a [^:]*: /s, '');
}

export function badPatch(text: string, why: string): ApiError {
  return invalid({ group: '', kind: '' }, '', [invalidField('patch', text, why)]);
}

/** Decodes an applied configuration. Valid fields with invalid values are an internal error, as in the API server. */
function* conversion(
  resource: Resource,
  merged: KubeObject,
  { metadata }: KubeObject,
  call: RequestContext,
): Steps<KubeObject> {
  const { group, version, kind } = resource;
  try {
    return yield* bodyDecoding(resource, ownObject(resource, merged), call);
  } catch (error) {
    const [, why] = error instanceof ApiError ? (/ cannot be handled as a \S+: (.*)$/s.exec(error.message) ?? []) : [];
    if (why === undefined || why.startsWith('strict decoding error')) throw error;
    const type = `${group}/${version}, Kind=${kind}`;
    const place = `${metadata.namespace ?? ''}/${metadata.name ?? ''}; ${type}`;
    const problem = resource.shape.conversionProblem?.(merged) ?? why;
    const message = `failed to convert new object (${place}) to proper version: unable to convert unstructured object to ${type}: ${problem}`;
    throw new ApiError(500, '', message);
  }
}

/** Handles PATCH with a configuration to apply: creates the object if it does not exist. */
export async function applyObject(
  backend: Backend,
  target: Target,
  config: unknown,
  force: boolean,
  call: RequestContext,
): Promise<StoredResult> {
  const { resource, namespace, name, subresource } = target;
  if (config !== null && (typeof config !== 'object' || Array.isArray(config))) {
    const type = Array.isArray(config) ? 'array' : typeof config === 'boolean' ? 'bool' : typeof config;
    const why = `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  const object = (config ?? {}) as KubeObject;
  checkAppliedType(resource, object);
  object.metadata ??= {};
  if (object.metadata.managedFields !== undefined) {
    throw new ApiError(400, 'BadRequest', 'metadata.managedFields must be nil');
  }
  function* apply(live: KubeObject | undefined): Steps<KubeObject> {
    const writer = { manager: call.fieldManager, subresource, time: timestamp(backend.clock) };
    const merged = yield* backend.fields.apply(resource, object, live, writer, force);
    if (live === undefined) checkPlace(target, merged);
    const decoded = yield* conversion(resource, merged, object, call);
    if (live !== undefined) checkPlace(target, decoded);
    return decoded;
  }
  if (storeOf(backend, resource).latest(keyOf(resource, namespace, name)) === undefined) {
    if (subresource !== '') throw notCreatedError(backend, target, call);
    const { resourceVersion: requested = '' } = object.metadata;
    checkNewUid(resource, name, object.metadata);
    if (requested !== '' && !isVersion(requested)) throw badVersion(requested);
    delete object.metadata.resourceVersion;
    const decoded = await stageOf(backend.thread, call.size ?? 0, call.user, apply(undefined));
    const how = { recorded: true, decoded: true, requested: target };
    return await createObject(backend, resource, namespace, decoded, call, how);
  }
  return await guaranteedUpdate(backend, target, apply, call, { recorded: true });
}
