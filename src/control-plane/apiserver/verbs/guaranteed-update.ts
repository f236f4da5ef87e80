import { append } from '#platform/base/append';
import type { FieldError } from '#platform/base/field-error';
import type { Steps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import { sameJson } from '#platform/kube/patches/json-object';
import type { AdmissionAttributes, ObjectKind } from '../admission-plugin.ts';
import { type ApiError, conflict, invalid, notFound, OBJECT_MODIFIED } from '../api-error.ts';
import { admit, type Backend, mutate, settle, storeOf, timestamp } from '../backend.ts';
import { withUnchangedTimes } from '../fields/unchanged-times.ts';
import { textOf } from '../object-text.ts';
import { isFitting, type RequestContext } from '../request-context.ts';
import { keyOf, type Resource } from '../resource.ts';
import { nextStage, stageOf, turnOf } from '../stage-barrier.ts';
import type { Entry } from '../store/store.ts';
import { dropEntry, isFinished } from './delete.ts';
import { validateAddedFinalizers, validateFrozen } from './frozen-metadata.ts';
import { badVersion, expectedVersion, isVersion } from './resource-version.ts';
import { type StoredResult, store } from './store-object.ts';
import { type Target, viewOf } from './target.ts';
import { prepareContent, preparePart, withServerFields, writesMetadata } from './updated-object.ts';

/** Number of attempts on ever newer versions for a write that specifies no version, before it fails. */
const ATTEMPTS = 20;

/**
 * Computes the desired object from the current one. Both are in the version of the request; `current` must not be
 * modified.
 */
export type ObjectChange = (current: KubeObject) => KubeObject | Promise<KubeObject> | Steps<KubeObject>;

/** Presents the content of an object as a subresource with a kind of its own, such as its Scale. */
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
  /** Set if the change is valid by itself: it sets fields that no other update may, and nothing else. */
  readonly validated?: boolean;
  /** View of the object through which it is written, and which admission sees. It does not record when. */
  readonly view?: SubresourceView;
}

/** One attempt to change the version of an object that was read. */
interface UpdateAttempt {
  readonly backend: Backend;
  readonly target: Target;
  readonly call: RequestContext;
  readonly options: GuaranteedUpdateOptions;
  readonly key: string;
  readonly entry: Entry;
  readonly old: KubeObject;
  /** Length of the larger of the sent and the stored text, by which the attempt shares the thread. */
  readonly size: number;
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
  options: GuaranteedUpdateOptions = {},
): Promise<StoredResult> {
  const { resource, namespace, name } = target;
  const key = keyOf(resource, namespace, name);
  for (let attempts = 1; ; attempts++) {
    const entry = storeOf(backend, resource).latest(key);
    if (entry === undefined) throw notFound(resource, name);
    const old = await viewOf(backend, resource, entry);
    const size = Math.max(call.size ?? 0, entry.value.length);
    const attempt = { backend, target, call, options, key, entry, old, size };
    const before = turn(attempt);
    if (before !== undefined) await before;
    const changing = change(old);
    const object = await (isSteps(changing) ? stage(attempt, changing) : changing);
    const after = turn(attempt);
    if (after !== undefined) await after;
    const written = await attemptWrite(attempt, object);
    if (written !== undefined) return written;
    if (attempts >= ATTEMPTS) throw conflict(resource, name, OBJECT_MODIFIED);
  }
}

function isSteps<T>(work: T | Promise<T> | Steps<T>): work is Steps<T> {
  return typeof work === 'object' && work !== null && Symbol.iterator in work;
}

const turn = ({ backend, size, call }: UpdateAttempt) => turnOf(backend.thread, size, call.user);

function stage<T>({ backend, size, call }: UpdateAttempt, steps: Steps<T>): T | Promise<T> {
  return stageOf(backend.thread, size, call.user, steps);
}

/** Returns undefined if the object has changed in the meantime. */
async function attemptWrite(attempt: UpdateAttempt, sent: KubeObject): Promise<StoredResult | undefined> {
  const { backend, target, call, options, old, size } = attempt;
  checkVersion(target, sent, old);
  const checksMetadata = options.validated !== true && writesMetadata(target);
  const frozen = checksMetadata ? validateFrozen(sent.metadata, old.metadata) : [];
  const object = withServerFields(target, sent, old);
  const recording = options.recorded === true ? undefined : recordFields(attempt, object);
  if (recording !== undefined) await recording;
  await nextStage(backend.thread, size, call.user);
  const write = attributesOf(attempt, object);
  let stored = false;
  try {
    const changed = options.admitted === true ? undefined : await mutate(backend, write);
    const admitted = mergeAdmitted(object, write, changed, options.view);
    await validateObject(attempt, admitted, frozen);
    if (options.admitted !== true) await admit(backend, { ...write, object: shown(attempt, admitted) });
    const written = await persist(attempt, admitted);
    stored = written?.stored === true;
    return written?.result;
  } finally {
    if (options.admitted !== true) settle(backend, write, stored);
  }
}

function checkVersion({ resource, name }: Target, sent: KubeObject, old: KubeObject): void {
  const requested = expectedVersion(sent.metadata);
  if (requested !== '' && requested !== old.metadata.resourceVersion) throw staleVersion(resource, name, requested);
}

function staleVersion(resource: Resource, name: string, requested: string): ApiError {
  return isVersion(requested) ? conflict(resource, name, OBJECT_MODIFIED) : badVersion(requested);
}

function recordFields(attempt: UpdateAttempt, object: KubeObject): void | Promise<void> {
  const { backend, target, call, options, old } = attempt;
  const time = options.view === undefined ? timestamp(backend.clock) : undefined;
  const writer = { manager: call.fieldManager, subresource: target.subresource, time };
  return stage(attempt, backend.fields.recordInSteps(target.resource, object, old, writer));
}

const shown = ({ options: { view } }: UpdateAttempt, object: KubeObject) =>
  view === undefined ? object : view.show(object);

function attributesOf(attempt: UpdateAttempt, object: KubeObject): AdmissionAttributes {
  const { target, call, options, old } = attempt;
  const { resource, namespace, name, subresource } = target;
  const place = { operation: 'UPDATE', resource, subresource, namespace, name, options: {}, call } as const;
  const { view } = options;
  if (view === undefined) return { ...place, object, old };
  return { ...place, object: view.show(object), old: view.show(old), kind: view.kind };
}

/** Returns the object with the changes of admission, which may have seen only a view of it. */
function mergeAdmitted(
  object: KubeObject,
  write: AdmissionAttributes,
  changed: KubeObject | undefined,
  view: SubresourceView | undefined,
): KubeObject {
  if (changed === undefined || changed === write.object) return object;
  return view === undefined ? changed : view.take(object, changed);
}

/** Prepares an admitted object as its kind demands, and validates it. */
async function validateObject(attempt: UpdateAttempt, object: KubeObject, frozen: FieldError[]): Promise<void> {
  const { target, call, options, old, entry } = attempt;
  const { resource, name, subresource } = target;
  if (subresource === '' || options.view !== undefined) prepareContent(resource, object, old);
  else preparePart(target, object, old);
  const before = turn(attempt);
  if (before !== undefined) await before;
  if (options.validated !== true) {
    const validating = stage(attempt, validateUpdate(target, object, old, call));
    const causes = validating instanceof Promise ? await validating : validating;
    if (causes.length > 0 || frozen.length > 0) throw invalid(resource, name, [...frozen, ...causes]);
  }
  append(call.warnings, resource.strategy.warnings?.(object, old) ?? []);
  object.metadata.resourceVersion = String(entry.revision);
}

function* validateUpdate(
  { resource, subresource }: Target,
  object: KubeObject,
  old: KubeObject,
  call: RequestContext,
): Steps<readonly FieldError[]> {
  const { shape, strategy } = resource;
  const finalizers = validateAddedFinalizers(object, old);
  const causes = yield* shape.validate(object, old, subresource, isFitting(call, object));
  yield;
  const own = (strategy.parts?.get(subresource) ?? strategy).validate?.(object, old) ?? [];
  return [...finalizers, ...causes, ...own];
}

interface Persisted {
  readonly result: StoredResult;
  /** Set if a new version is stored. */
  readonly stored: boolean;
}

/** Stores a valid object, or deletes one that has lost its last finalizer. */
async function persist(attempt: UpdateAttempt, object: KubeObject): Promise<Persisted | undefined> {
  const { backend, target, call, key, entry, old, size } = attempt;
  const { resource } = target;
  if (isFinished(resource, object)) {
    const dropped = await dropEntry(storeOf(backend, resource), key, object, entry.revision, call.dryRun);
    if (dropped === undefined) return undefined;
    // The writer that removed the last finalizer sees the version that existed, not the one of the removal.
    object.metadata.resourceVersion = String(entry.revision);
    return { result: { ...dropped, text: textOf(object) }, stored: false };
  }
  const before = turn(attempt);
  if (before !== undefined) await before;
  // A write that changes nothing stores nothing.
  const final = withUnchangedTimes(old as never, object as never) as unknown as KubeObject;
  const after = turn(attempt);
  if (after !== undefined) await after;
  if (sameJson(final as never, old as never)) {
    return { result: { object: old, text: textOf(old), created: false }, stored: false };
  }
  const result = await store(backend, resource, key, final, entry.revision, { ...call, size });
  return result === undefined ? undefined : { result, stored: !call.dryRun };
}
