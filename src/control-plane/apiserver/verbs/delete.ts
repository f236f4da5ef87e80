import { type FieldError, notSupported } from '#platform/base/field-error';
import { copyJson } from '#platform/base/json-copy';
import { FOREGROUND, ORPHAN } from '#platform/kube/deletion-finalizers';
import type { KubeObject } from '#platform/kube/kube-object';
import { conflict, invalid, notFound, OBJECT_MODIFIED, type Status } from '../api-error.ts';
import { admit, type Backend, storeOf, timestamp } from '../backend.ts';
import { textOf } from '../object-text.ts';
import type { RequestContext } from '../request-context.ts';
import { keyOf, type Resource } from '../resource.ts';
import type { Store } from '../store/store.ts';
import { type StoredResult, store } from './store-object.ts';
import { type Target, viewOf } from './target.ts';

/** Options in the body of a deletion. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];
const ATTEMPTS = 20;

/** Result of a deletion request: what remains of the object. */
export type Deleted =
  | { readonly gone: true; readonly object: KubeObject }
  | { readonly gone: false; readonly written: StoredResult };

/** Defines how admission takes part in a deletion. */
export interface Deleting {
  /** Set if admission has already admitted the request that this deletion is part of. */
  readonly admitted?: boolean;
  /** Set if the object is one of many, so that admission sees no name. */
  readonly unnamed?: boolean;
}

/** Handles DELETE: removes an object, or marks it if something must finish first. */
export async function deleteObject(
  backend: Backend,
  target: Target,
  options: DeleteOptions,
  call: RequestContext,
  how: Deleting = {},
): Promise<Deleted> {
  const { resource, namespace, name } = target;
  checkDeleteOptions(options);
  const key = keyOf(resource, namespace, name);
  const source = storeOf(backend, resource);
  for (let attempt = 1; ; attempt++) {
    const entry = source.latest(key);
    if (entry === undefined) throw notFound(resource, name);
    const old = await viewOf(backend, resource, entry);
    checkPreconditions(resource, name, old, options);
    const known = how.unnamed === true ? '' : name;
    const write = { operation: 'DELETE', resource, subresource: '', namespace, name: known, old, call } as const;
    const requested = options as Readonly<Record<string, unknown>>;
    if (how.admitted !== true) await admit(backend, { ...write, object: undefined, options: requested });
    const marked = mark(backend, resource, old, options);
    if (marked === undefined) return { gone: false, written: { object: old, text: textOf(old), created: false } };
    const written = isFinished(resource, marked)
      ? await dropEntry(source, key, marked, entry.revision, call.dryRun)
      : await store(backend, resource, key, marked, entry.revision, { ...call, size: entry.value.length });
    if (written !== undefined) {
      return written.deleted === true
        ? { gone: true, object: lastOf(resource, old, written.object) }
        : { gone: false, written };
    }
    if (attempt >= ATTEMPTS) throw conflict(resource, name, OBJECT_MODIFIED);
  }
}

/**
 * Returns the last state of an object. One that was removed at once never had a deletionTimestamp, and keeps the
 * finalizers that the removal dropped.
 */
function lastOf({ strategy }: Resource, old: KubeObject, ended: KubeObject): KubeObject {
  if (strategy.graceSeconds !== undefined) {
    const { finalizers } = old.metadata;
    return finalizers === undefined ? ended : { ...ended, metadata: { ...ended.metadata, finalizers } };
  }
  if (ended.metadata.resourceVersion === undefined) return ended;
  return { ...old, metadata: { ...old.metadata, resourceVersion: ended.metadata.resourceVersion } };
}

/** Rejects options that contradict each other or have unknown values. */
export function checkDeleteOptions(options: DeleteOptions): void {
  const causes = validatePolicy(options);
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', causes);
}

/** Validates the propagation policy. */
export function validatePolicy({ propagationPolicy, orphanDependents }: DeleteOptions): FieldError[] {
  if (propagationPolicy === undefined) return [];
  const causes: FieldError[] = [];
  if (orphanDependents !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    causes.push({ type: 'Invalid', field: 'propagationPolicy', value: propagationPolicy, detail });
  }
  if (!POLICIES.includes(propagationPolicy)) {
    causes.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  }
  return causes;
}

function checkPreconditions(resource: Resource, name: string, { metadata }: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  // The API server names the kind here, and the resource elsewhere.
  const byKind = { group: resource.group, plural: resource.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(byKind, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(byKind, name, why);
  }
}

/** Returns the object marked for deletion; undefined if it is already terminating and this deletion changes nothing. */
function mark(backend: Backend, resource: Resource, old: KubeObject, options: DeleteOptions): KubeObject | undefined {
  const object = copyJson(old);
  const { metadata } = object;
  const finalizers = finalizersAfter(metadata.finalizers ?? [], options, resource.strategy.orphansByDefault === true);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  const grace = resource.strategy.graceSeconds?.(old, options.gracePeriodSeconds) ?? 0;
  const dying = metadata.deletionTimestamp !== undefined;
  if (dying && grace >= (metadata.deletionGracePeriodSeconds ?? 0)) {
    const same = JSON.stringify(finalizers) === JSON.stringify(old.metadata.finalizers ?? []);
    return same && !isFinished(resource, object) ? undefined : object;
  }
  metadata.deletionTimestamp = timestamp({ ...backend.clock, now: () => backend.clock.now() + grace * 1000 });
  metadata.deletionGracePeriodSeconds = grace;
  if (resource.strategy.generation && !dying) metadata.generation = (metadata.generation ?? 0) + 1;
  if (!dying) resource.strategy.onDelete?.(object);
  return object;
}

function finalizersAfter(present: readonly string[], options: DeleteOptions, orphansByDefault: boolean): string[] {
  // The policy of an earlier deletion applies unless this one specifies one.
  const decided = present.includes(FOREGROUND) || present.includes(ORPHAN);
  const byDefault = orphansByDefault && !decided && options.orphanDependents === undefined ? 'Orphan' : undefined;
  const policy = options.propagationPolicy ?? (options.orphanDependents === true ? 'Orphan' : byDefault);
  const others = present.filter((name) => name !== FOREGROUND && name !== ORPHAN);
  if (policy === 'Foreground') return [...others, FOREGROUND];
  if (policy === 'Orphan') return [...others, ORPHAN];
  return policy === 'Background' || options.orphanDependents === false ? others : [...present];
}

/** Reports whether a deleted object has nothing left to wait for. */
export function isFinished({ strategy }: Resource, object: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return (
    deletionTimestamp !== undefined &&
    finalizers.length === 0 &&
    deletionGracePeriodSeconds === 0 &&
    strategy.unfinished?.(object) !== true
  );
}

/** Removes an object from the store. Returns undefined if it is at another revision by now. */
export async function dropEntry(
  target: Store,
  key: string,
  object: KubeObject,
  expected: number,
  dryRun: boolean,
): Promise<StoredResult | undefined> {
  if (!dryRun) {
    const outcome = await target.delete(key, { expected });
    if (!outcome.done) return undefined;
    object.metadata.resourceVersion = String(outcome.event.revision);
  }
  return { object, text: textOf(object), created: false, deleted: true };
}

/** Returns the Status for an object that was removed. */
export function deletedStatus({ group, plural }: Resource, { metadata }: KubeObject): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      ...(metadata.name === undefined ? {} : { name: metadata.name }),
      ...(group === '' ? {} : { group }),
      kind: plural,
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    },
  };
}
