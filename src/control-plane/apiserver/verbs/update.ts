import { append } from '#platform/base/append';
import { type FieldError, invalid as invalidField } from '#platform/base/field-error';
import { copyJson } from '#platform/base/json-copy';
import type { Steps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import { sameJson } from '#platform/kube/patches/json-object';
import type { AdmissionAttributes, ObjectKind } from '../admission-plugin.ts';
import { type ApiError, badRequest, conflict, invalid, notFound, OBJECT_MODIFIED } from '../api-error.ts';
import { admit, type Backend, mutate, settle, storeOf, timestamp } from '../backend.ts';
import { withUnchangedTimes } from '../fields/unchanged-times.ts';
import { textOf } from '../object-text.ts';
import { isFitting, type RequestContext } from '../request-context.ts';
import { apiVersionOf, keyOf, type Resource } from '../resource.ts';
import { nextStage, stageOf, turnOf } from '../stage-barrier.ts';
import type { Entry } from '../store/store.ts';
import { fieldWriterFor } from '../subresources/field-writer.ts';
import { checkCreation, createObject, NAMESPACE_MISMATCH } from './create.ts';
import { bodyDecoding } from './decode.ts';
import { dropEntry, isFinished } from './delete.ts';
import { checkUid, validateFinalizer, validateFrozen } from './frozen-metadata.ts';
import { badVersion, isVersion } from './resource-version.ts';
import { type Target, viewOf } from './target.ts';
import { type StoredResult, store } from './written.ts';

/** Number of attempts on ever newer versions for a write that specifies no version, before it fails. */
const ATTEMPTS = 20;

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
  const asked = object.metadata.resourceVersion ?? '';
  const exists = () => storeOf(backend, resource).latest(keyOf(resource, namespace, name)) !== undefined;
  if (resource.strategy.createOnUpdate === true && !exists()) {
    if (target.subresource !== '') throw notMade(backend, target, call);
    const { problems: _told, ...rest } = call;
    checkUid(target, object.metadata);
    if (asked !== '' && !isVersion(asked)) throw badVersion(asked);
    delete object.metadata.resourceVersion;
    return await createObject(backend, resource, namespace, object, rest, { requested: target });
  }
  if (asked === '' && resource.strategy.unconditionalUpdate !== true) {
    if (!exists()) throw notFound(resource, name);
    checkVersioned(target, object);
  }
  const replace = (current: KubeObject): KubeObject => {
    checkUid(target, object.metadata, current.metadata);
    return asked === '' ? copyJson(object) : object;
  };
  return await guaranteedUpdate(backend, target, replace, call);
}

/**
 * Returns the error for a subresource write to an object that does not exist, if such a write could create it.
 * kube-apiserver does create it, but without anything that a new object is given, such as the address of a Service.
 */
export function notMade(backend: Backend, target: Target, call: RequestContext): ApiError {
  if (target.resource.strategy.createOnUpdate === true) checkCreation(backend, target, call);
  return notFound(target.resource, target.name);
}

/** Rejects an unconditional update of a kind that requires a resourceVersion. */
export function checkVersioned({ resource, name }: Target, { metadata }: KubeObject): void {
  if ((metadata.resourceVersion ?? '') !== '' || resource.strategy.unconditionalUpdate === true) return;
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

/**
 * Computes the desired object from the current one. Both are in the version of the request; `current` must not be
 * modified.
 */
export type ObjectChange = (current: KubeObject) => KubeObject | Promise<KubeObject> | Steps<KubeObject>;

/** Presents an object as a subresource with a kind of its own, such as its Scale. */
export interface SubresourceView {
  readonly kind: ObjectKind;
  show(object: KubeObject): KubeObject;
  /** Returns the object with the changes made to its subresource. */
  take(object: KubeObject, shown: KubeObject): KubeObject;
}

export interface GuaranteedUpdateOptions {
  /** Set if managedFields are already correct, as after applying or for a binding. */
  readonly recorded?: boolean;
  /** Set if admission has already run for the request, or must not run. */
  readonly admitted?: boolean;
  /** View of the object that admission sees. */
  readonly facet?: SubresourceView;
}

/**
 * Reads, changes and writes an object until there is no conflict. A change whose result has a resourceVersion applies
 * to that version only.
 */
export async function guaranteedUpdate(
  backend: Backend,
  target: Target,
  change: ObjectChange,
  call: RequestContext,
  how: GuaranteedUpdateOptions = {},
): Promise<StoredResult> {
  const { resource, namespace, name } = target;
  const key = keyOf(resource, namespace, name);
  for (let attempt = 1; ; attempt++) {
    const entry = storeOf(backend, resource).latest(key);
    if (entry === undefined) throw notFound(resource, name);
    const old = await viewOf(backend, resource, entry);
    const size = Math.max(call.size ?? 0, entry.value.length);
    const before = turnOf(backend.thread, size, call.user);
    if (before !== undefined) await before;
    const changing = change(old);
    const object = await (isSteps(changing) ? stageOf(backend.thread, size, call.user, changing) : changing);
    const after = turnOf(backend.thread, size, call.user);
    if (after !== undefined) await after;
    const written = await attemptWrite(backend, target, key, entry, old, object, call, how);
    if (written !== undefined) return written;
    if (attempt >= ATTEMPTS) throw conflict(resource, name, OBJECT_MODIFIED);
  }
}

function isSteps<T>(work: T | Promise<T> | Steps<T>): work is Steps<T> {
  return typeof work === 'object' && work !== null && Symbol.iterator in work;
}

async function attemptWrite(
  backend: Backend,
  target: Target,
  key: string,
  entry: Entry,
  old: KubeObject,
  sent: KubeObject,
  call: RequestContext,
  how: GuaranteedUpdateOptions,
): Promise<StoredResult | undefined> {
  const { resource, name, subresource } = target;
  const size = Math.max(call.size ?? 0, entry.value.length);
  const asked = sent.metadata.resourceVersion ?? '';
  if (asked !== '' && asked !== old.metadata.resourceVersion) throw staleVersion(resource, name, asked);
  const frozen = takesMetadata(target) && subresource !== 'binding' ? validateFrozen(sent.metadata, old.metadata) : [];
  const object = keepWhatIsTheServers(target, sent, old);
  if (how.recorded !== true) {
    // The Scale does not record when it was written.
    const time = subresource === 'scale' ? undefined : timestamp(backend.clock);
    const writer = { manager: call.fieldManager, subresource, time };
    const steps = backend.fields.recordInSteps(resource, object, old, writer);
    const recording = stageOf(backend.thread, size, call.user, steps);
    if (recording !== undefined) await recording;
  }
  await nextStage(backend.thread, size, call.user);
  const write = writeOf(target, object, old, call, how.facet);
  let stored = false;
  try {
    const changed = how.admitted === true ? undefined : await mutate(backend, write);
    const admitted = applyFieldWriter(object, write, changed, how.facet);
    prepare(target, admitted, old);
    const turn = turnOf(backend.thread, size, call.user);
    if (turn !== undefined) await turn;
    const validating = stageOf(backend.thread, size, call.user, causesOf(target, admitted, old, call));
    const causes = validating instanceof Promise ? await validating : validating;
    if (causes.length > 0 || frozen.length > 0) throw invalid(resource, name, [...frozen, ...causes]);
    append(call.warnings, resource.strategy.warnings?.(admitted, old) ?? []);
    admitted.metadata.resourceVersion = String(entry.revision);
    if (how.admitted !== true) await admit(backend, { ...write, object: how.facet?.show(admitted) ?? admitted });
    const destination = storeOf(backend, resource);
    if (isFinished(resource, admitted)) {
      const dropped = await dropEntry(destination, key, admitted, entry.revision, call.dryRun);
      if (dropped === undefined) return undefined;
      // The writer that removed the last finalizer sees the version that existed, not the one of the removal.
      admitted.metadata.resourceVersion = String(entry.revision);
      return { ...dropped, text: textOf(admitted) };
    }
    const before = turnOf(backend.thread, size, call.user);
    if (before !== undefined) await before;
    // A write that changes nothing stores nothing.
    const final = withUnchangedTimes(old as never, admitted as never) as unknown as KubeObject;
    const after = turnOf(backend.thread, size, call.user);
    if (after !== undefined) await after;
    if (sameJson(final as never, old as never)) return { object: old, text: textOf(old), created: false };
    const written = await store(backend, resource, key, final, entry.revision, { ...call, size });
    stored = written !== undefined && !call.dryRun;
    return written;
  } finally {
    if (how.admitted !== true) settle(backend, write, stored);
  }
}

function* causesOf(
  { resource, subresource }: Target,
  object: KubeObject,
  old: KubeObject,
  call: RequestContext,
): Steps<readonly FieldError[]> {
  // A binding sets fields that no other update may, and nothing else.
  if (subresource === 'binding') return [];
  const { shape, strategy } = resource;
  const finalizers = validateFinalizer(object, old);
  const causes = yield* shape.validate(object, old, subresource, isFitting(call, object));
  yield;
  const own = (strategy.parts?.get(subresource) ?? strategy).validate?.(object, old) ?? [];
  return [...finalizers, ...causes, ...own];
}

function writeOf(
  target: Target,
  object: KubeObject,
  old: KubeObject,
  call: RequestContext,
  facet: SubresourceView | undefined,
): AdmissionAttributes {
  const { resource, namespace, name, subresource } = target;
  const place = { operation: 'UPDATE', resource, subresource, namespace, name, options: {}, call } as const;
  if (facet === undefined) return { ...place, object, old };
  return { ...place, object: facet.show(object), old: facet.show(old), kind: facet.kind };
}

/** Returns the object with the changes of admission, which may have seen only a view of it. */
function applyFieldWriter(
  object: KubeObject,
  write: AdmissionAttributes,
  changed: KubeObject | undefined,
  facet: SubresourceView | undefined,
): KubeObject {
  if (changed === undefined || changed === write.object) return object;
  return facet === undefined ? changed : facet.take(object, changed);
}

function staleVersion(resource: Resource, name: string, asked: string): ApiError {
  return isVersion(asked) ? conflict(resource, name, OBJECT_MODIFIED) : badVersion(asked);
}

/** Subresources that write both a part of their object and its metadata. */
const METADATA_TOO = new Set(['binding', 'approval', 'finalize']);

/** Reports whether a write also changes metadata; that of a custom object's status does not. */
function takesMetadata({ resource, subresource }: Target): boolean {
  if (subresource === 'status') return !resource.custom;
  return fieldWriterFor(resource.group, resource.plural, subresource) === undefined || METADATA_TOO.has(subresource);
}

/**
 * Returns the sent object with the fields that no writer controls. Values from the stored object are shared with it, so
 * later changes must replace them rather than modify them.
 */
function keepWhatIsTheServers({ resource, subresource }: Target, sent: KubeObject, old: KubeObject): KubeObject {
  const object = withStored(resource, subresource, sent, old);
  const kept = object.metadata;
  kept.uid = old.metadata.uid as string;
  kept.creationTimestamp = old.metadata.creationTimestamp as string;
  for (const field of ['generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (old.metadata[field] === undefined) delete kept[field];
    else Object.assign(kept, { [field]: old.metadata[field] });
  }
  delete kept.selfLink;
  return object;
}

function withStored(resource: Resource, subresource: string, sent: KubeObject, old: KubeObject): KubeObject {
  const part = fieldWriterFor(resource.group, resource.plural, subresource);
  if (part !== undefined) {
    const object = { ...old, metadata: METADATA_TOO.has(subresource) ? sent.metadata : { ...old.metadata } };
    part(object, sent);
    return object;
  }
  if (subresource === 'status') {
    const metadata = resource.custom ? { ...old.metadata, ...pick(sent.metadata, 'managedFields') } : sent.metadata;
    if (sent['status'] !== undefined) return { ...old, metadata, status: sent['status'] };
    const { status: _gone, ...rest } = old;
    return { ...rest, metadata };
  }
  if (!resource.strategy.status) return sent;
  if (old['status'] !== undefined) sent['status'] = old['status'];
  else delete sent['status'];
  return sent;
}

function pick<T extends object, K extends keyof T>(from: T, key: K): Partial<Pick<T, K>> {
  return from[key] === undefined ? {} : ({ [key]: from[key] } as Partial<Pick<T, K>>);
}

function prepare({ resource, subresource }: Target, object: KubeObject, old: KubeObject): void {
  if (subresource !== '' && subresource !== 'scale') {
    if (subresource === 'status') resource.strategy.prepareStatusUpdate?.(object, old);
    if (subresource === 'status' || resource.strategy.parts?.has(subresource) !== true) return;
  } else resource.strategy.prepareUpdate?.(object, old);
  if (resource.strategy.generation && contentDiffers(object, old)) {
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
}

function contentDiffers(object: KubeObject, old: KubeObject): boolean {
  const { metadata: _newMeta, status: _newStatus, ...content } = object;
  const { metadata: _oldMeta, status: _oldStatus, ...before } = old;
  return !sameJson(content as never, before as never);
}
