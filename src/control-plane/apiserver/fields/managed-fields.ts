import { runSteps, type Steps } from '#platform/base/steps';
import { isObject, type JsonObject, member } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import { changedFields, type Difference, NO_DIFFERENCE, type SkippedFields } from './changed-fields.ts';
import { type FieldFilter, filterFields } from './field-filter.ts';
import { difference, EMPTY, type FieldSet, isEmpty, isMember, union } from './field-set.ts';
import { withLargeNodes } from './large-nodes.ts';
import { ListItemError } from './list-items.ts';
import { type ManagedFieldsEntry, type ManagerName, type Managers, managersOfWrite } from './managers.ts';
import { reconcileFields } from './prune.ts';
import type { Type } from './type.ts';

/** Describes an object in one version of its kind. */
export interface VersionedType {
  readonly apiVersion: string;
  readonly type: Type;
  /** New object before its first write: for built-in kinds the structs that always exist. */
  readonly empty: JsonObject;
  /** Fields that this endpoint cannot set. */
  readonly reset: FieldFilter;
}

/** Describes the kind in one version, with its other versions as far as managers wrote through them. */
export interface ManagedKind extends VersionedType {
  readonly kind: string;
  /** Set if the schema can have changed since fields were recorded. */
  readonly custom: boolean;
  /** Subresource; '' for the resource itself. */
  readonly subresource: string;
  /** Returns another version and a conversion to it; undefined for a version that is no longer served. */
  readonly version?: (apiVersion: string) => (VersionedType & { convert(object: JsonObject): JsonObject }) | undefined;
}

export interface FieldsWrite {
  readonly kind: ManagedKind;
  readonly manager: string;
  /** Time of the write as RFC 3339 text in UTC by seconds. */
  readonly time: string | undefined;
}

/** Metadata without an owner: it identifies the object, or only the server sets it. */
const UNOWNED: SkippedFields = {
  apiVersion: true,
  kind: true,
  metadata: {
    name: true,
    namespace: true,
    uid: true,
    resourceVersion: true,
    generation: true,
    creationTimestamp: true,
    selfLink: true,
    clusterName: true,
    managedFields: true,
  },
};
const METADATA: FieldSet = { 'f:metadata': EMPTY };

/** The same metadata as paths. */
export const METADATA_IDENTITY: FieldSet = {
  'f:apiVersion': EMPTY,
  'f:kind': EMPTY,
  'f:metadata': {
    '.': EMPTY,
    ...Object.fromEntries(Object.keys(UNOWNED['metadata'] as SkippedFields).map((name) => [`f:${name}`, EMPTY])),
  },
};

/**
 * Returns the managedFields of an object after a write other than apply (create, update or patch): a manager that
 * changed a field owns it. `live` is undefined for a create. Returns undefined if nothing is managed, and the live
 * entries themselves if nothing changed.
 */
export function updateManagedFields(
  live: JsonObject | undefined,
  next: JsonObject,
  write: FieldsWrite,
): readonly ManagedFieldsEntry[] | undefined {
  return runSteps(managedFieldsUpdate(live, next, write));
}

/** Does the same in steps. */
export function* managedFieldsUpdate(
  live: JsonObject | undefined,
  next: JsonObject,
  write: FieldsWrite,
): Steps<readonly ManagedFieldsEntry[] | undefined> {
  const entries = liveEntries(live);
  const sent = write.kind.subresource === '' ? member(metadataOf(next), 'managedFields') : undefined;
  const managers = yield* managersOfWrite(entries, sent);
  // An object that was written without managers has none until it is applied.
  if (managers.size === 0 && live !== undefined) return undefined;
  const name = { ...managerName(write), operation: 'Update' } as const;
  if (write.kind.custom) reconcileManagers(managers, write.kind);
  yield;
  try {
    yield* recordUpdate(managers, live ?? write.kind.empty, next, name, write);
  } catch (error) {
    // Ambiguous items cannot be owned; the server then manages nothing rather than rejecting the write.
    if (error instanceof ListItemError) return undefined;
    throw error;
  }
  yield;
  managers.cap();
  if (write.kind.custom) {
    for (const { apiVersion, fields } of managers) {
      if (apiVersion !== write.kind.apiVersion || upToDate.get(fields) === write.kind.type) continue;
      upToDate.set(fields, write.kind.type);
    }
  }
  return toEntries(managers, entries);
}

/** Assigns what a write changed to its manager and takes it from all others. */
export function* recordUpdate(
  managers: Managers,
  before: JsonObject,
  after: JsonObject,
  name: ManagerName,
  write: FieldsWrite,
): Steps<void> {
  const differences = new Differences(before, after, write.kind);
  const { changed } = yield* differences.compareOwn();
  yield;
  moveOwnership(managers, differences, undefined);
  const own = difference(changed, METADATA);
  if (isEmpty(own)) return;
  yield;
  const previous = managers.get(name);
  const fields = previous === undefined ? own : union(own, previous.fields);
  managers.set({ ...name, time: write.time, fields });
}

/** Computes how an object changed, in the versions of its kind. Each version is compared on demand. */
export class Differences {
  readonly #before: JsonObject;
  readonly #after: JsonObject;
  readonly #kind: ManagedKind;
  readonly #known = new Map<string, Difference | undefined>();
  #own: Difference | undefined;

  constructor(before: JsonObject, after: JsonObject, kind: ManagedKind) {
    this.#before = before;
    this.#after = after;
    this.#kind = kind;
  }

  /** Compares in the version of the write. */
  *compareOwn(): Steps<Difference> {
    this.#own ??= yield* compareIn(this.#before, this.#after, this.#kind);
    return this.#own;
  }

  /** Compares in another version; undefined for one that is no longer served. */
  in(apiVersion: string): Difference | undefined {
    if (apiVersion === this.#kind.apiVersion) return runSteps(this.compareOwn());
    if (!this.#known.has(apiVersion)) this.#known.set(apiVersion, this.#compareIn(apiVersion));
    return this.#known.get(apiVersion);
  }

  #compareIn(apiVersion: string): Difference | undefined {
    const version = this.#kind.version?.(apiVersion);
    if (version === undefined) return undefined;
    return runSteps(compareIn(version.convert(this.#before), version.convert(this.#after), version));
  }
}

/** Takes changed and removed fields from all managers but one. */
export function moveOwnership(managers: Managers, differences: Differences, except: ManagerName | undefined): void {
  const kept = except === undefined ? undefined : managers.get(except);
  for (const manager of managers) {
    if (manager === kept) continue;
    const compared = differences.in(manager.apiVersion);
    if (compared === undefined) {
      managers.delete(manager);
      continue;
    }
    if (compared === NO_DIFFERENCE) continue;
    const left = difference(difference(manager.fields, compared.changed), compared.removed);
    managers.setFields(manager, left);
  }
}

/** Returns the differences in one version, without the fields that the endpoint cannot set. */
function* compareIn(before: JsonObject, after: JsonObject, { type, reset }: VersionedType): Steps<Difference> {
  const compared = yield* withLargeNodes(() => changedFields(before, after, type, skippedFields(reset)));
  if (compared === NO_DIFFERENCE) return compared;
  return { changed: filterFields(compared.changed, reset), removed: filterFields(compared.removed, reset) };
}

const skips = new WeakMap<FieldFilter, SkippedFields>();

/** Returns top-level members that need no comparison because the filter drops them anyway. */
function skippedFields(reset: FieldFilter): SkippedFields {
  let skip = skips.get(reset);
  if (skip === undefined) {
    const top = Object.keys(reset.exclude).filter((element) => isMember(reset.exclude[element] as FieldSet));
    skip = { ...UNOWNED, ...Object.fromEntries(top.map((element) => [element.slice(2), true as const])) };
    skips.set(reset, skip);
  }
  return skip;
}

/** Sets that match this type's schema: objects of the same form share theirs. */
const upToDate = new WeakMap<FieldSet, Type>();

/** Adapts field sets to the current schema, if it made something atomic since they were written. */
export function reconcileManagers(managers: Managers, kind: ManagedKind): void {
  for (const manager of managers) {
    const type = manager.apiVersion === kind.apiVersion ? kind.type : kind.version?.(manager.apiVersion)?.type;
    if (type === undefined || upToDate.get(manager.fields) === type) continue;
    const fields = reconcileFields(manager.fields, type);
    upToDate.set(fields, type);
    managers.setFields(manager, fields);
  }
}

export function toEntries(
  managers: Managers,
  live: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  const entries = managers.toEntries();
  const same = live?.length === entries.length && entries.every((entry, i) => entry === live[i]);
  return same ? live : entries;
}

export function liveEntries(live: JsonObject | undefined): readonly ManagedFieldsEntry[] | undefined {
  const entries = live === undefined ? undefined : member(metadataOf(live), 'managedFields');
  return entries as unknown as readonly ManagedFieldsEntry[] | undefined;
}

export function metadataOf(object: JsonObject): JsonObject {
  const metadata: Json | undefined = member(object, 'metadata');
  return isObject(metadata) ? metadata : {};
}

export function managerName({ kind, manager }: FieldsWrite): Omit<ManagerName, 'operation'> {
  return { manager: manager === '' ? 'unknown' : manager, apiVersion: kind.apiVersion, subresource: kind.subresource };
}
