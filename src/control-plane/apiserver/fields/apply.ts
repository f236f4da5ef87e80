import { runSteps, type Steps } from '#platform/base/steps';
import { isObject, type JsonObject, member, sameJson } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import { ApplyConflictError, ApplyError, type Conflict, conflictsWith } from './apply-error.ts';
import { filterFields } from './field-filter.ts';
import { difference, type FieldSet, intersection, isEmpty, printPaths } from './field-set.ts';
import { withLargeNodes } from './large-nodes.ts';
import { KUBECTL, lastAppliedFields, withLastApplied } from './last-applied.ts';
import { ListItemError } from './list-items.ts';
import {
  Differences,
  type FieldsWrite,
  liveEntries,
  type ManagedKind,
  METADATA_IDENTITY,
  managerName,
  metadataOf,
  moveOwnership,
  reconcileManagers,
  recordUpdate,
  toEntries,
} from './managed-fields.ts';
import { type ManagedFieldsEntry, type ManagerName, type Managers, readManagers } from './managers.ts';
import { mergeTyped } from './merge.ts';
import { ownedFields } from './owned-fields.ts';
import { withoutAbandoned } from './removed-fields.ts';
import { typeErrors } from './validate.ts';

const BEFORE_FIRST_APPLY = 'before-first-apply';

export interface Application extends FieldsWrite {
  /** Takes over fields that others own. */
  readonly force: boolean;
}

export interface Applied {
  /** Object to store, without managedFields; the live one if the configuration changes nothing. */
  readonly object: JsonObject;
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
}

/**
 * Performs server-side apply: returns the live object (undefined if it does not exist) with the configuration merged in
 * and without what the same manager applied before and no longer specifies. The object must still be defaulted and
 * validated; a field that lost all its members may be left as null, so nulls must be dropped if the kind does not allow
 * them.
 *
 * Throws ApplyError for a configuration that does not match its type, ApplyConflictError if it would change what others
 * own.
 */
export function applyConfiguration(
  live: JsonObject | undefined,
  config: JsonObject,
  application: Application,
): Applied {
  return runSteps(configurationApply(live, config, application));
}

/** Does the same in steps. */
export function* configurationApply(
  live: JsonObject | undefined,
  config: JsonObject,
  application: Application,
): Steps<Applied> {
  const { kind, manager } = application;
  checkConfig(config, kind);
  yield;
  const name = { ...managerName(application), operation: 'Apply' } as const;
  const managers = readManagers(liveEntries(live));
  const current = live === undefined ? {} : withoutManagedFields(live);
  if (live !== undefined && managers.size === 0) {
    const before = { ...managerName({ ...application, manager: BEFORE_FIRST_APPLY }), operation: 'Update' } as const;
    yield* recordUpdate(managers, kind.empty, current, before, application);
    yield;
  }
  try {
    return yield* finish(live, current, config, managers, name, application);
  } catch (error) {
    if (error instanceof ListItemError) throw new ApplyError('', `failed to merge config: ${error.message}`);
    if (!(error instanceof ApplyConflictError) || manager !== KUBECTL) throw error;
    const left = withoutFormer(error, lastAppliedFields(current, kind.apiVersion, kind.type));
    if (left.length > 0) throw new ApplyConflictError(left);
    return yield* configurationApply(live, config, { ...application, force: true });
  }
}

function* finish(
  live: JsonObject | undefined,
  current: JsonObject,
  config: JsonObject,
  managers: Managers,
  name: ManagerName,
  { kind, manager, time, force }: Application,
): Steps<Applied> {
  if (kind.custom) reconcileManagers(managers, kind);
  const last = managers.get(name);
  const owned = yield* withLargeNodes(() => ownedFields(config, kind.type));
  const present = filterFields(owned, kind.reset);
  managers.set({ ...name, time: last?.time, fields: present });
  const former = last === undefined ? undefined : { ...last, fields: filterFields(last.fields, kind.reset) };
  yield;
  const merged = mergeTyped(current, config, kind.type);
  yield;
  const object = withoutAbandoned(merged, managers, former, present, kind);
  yield;
  const differences = new Differences(current, object, kind);
  // The differences are not needed if there is no other owner.
  if (managers.size > 1) yield* differences.compareOwn();
  if (!force) {
    const conflicts = findConflicts(managers, differences, name);
    if (conflicts.length > 0) throw new ApplyConflictError(conflicts);
    yield;
  }
  moveOwnership(managers, differences, name);
  yield;
  const changed = live === undefined || !sameJson(current, object);
  const fields = difference(present, METADATA_IDENTITY);
  if (isEmpty(fields)) managers.delete(name);
  else managers.set({ ...name, time: changed ? time : last?.time, fields });
  const result = changed ? object : current;
  return {
    object: manager === KUBECTL ? withLastApplied(result, config) : result,
    managedFields: toEntries(managers, liveEntries(live)),
  };
}

function findConflicts(managers: Managers, differences: Differences, applier: ManagerName): Conflict[] {
  const conflicts: Conflict[] = [];
  const own = managers.get(applier);
  for (const manager of managers.sorted()) {
    if (manager === own) continue;
    const compared = differences.in(manager.apiVersion);
    if (compared === undefined) continue;
    for (const one of conflictsWith(manager, intersection(manager.fields, compared.changed))) conflicts.push(one);
  }
  return conflicts;
}

/** Drops conflicts on fields that the same kubectl once applied client-side. */
function withoutFormer({ conflicts }: ApplyConflictError, former: FieldSet): readonly Conflict[] {
  const paths = new Set(printPaths(former));
  return conflicts.filter(({ path }) => !paths.has(path));
}

function checkConfig(config: JsonObject, kind: ManagedKind): void {
  const apiVersion = text(config, 'apiVersion');
  const name = text(config, 'kind');
  const type = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${name}`;
  if (apiVersion !== kind.apiVersion || name !== kind.kind) {
    throw new ApplyError('BadRequest', `invalid object type: ${type}`);
  }
  const metadata = metadataOf(config);
  if ((member(metadata, 'managedFields') ?? null) !== null) {
    throw new ApplyError('BadRequest', 'metadata.managedFields must be nil');
  }
  const errors = typeErrors(config, kind.type);
  if (errors === undefined) return;
  const place = `${text(metadata, 'namespace')}/${text(metadata, 'name')}`;
  throw new ApplyError('', `failed to create typed patch object (${place}; ${type}): ${errors}`);
}

function text(object: JsonObject, name: string): string {
  const value: Json | undefined = member(object, name);
  return typeof value === 'string' ? value : '';
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = member(object, 'metadata');
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
