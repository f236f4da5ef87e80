import { difference, fieldPath, hasPath, isEmpty } from './field-set.ts';
import { type ManagedFieldsEntry, Managers, readManagers } from './managers.ts';
import type { PathElement } from './path-element.ts';

const SCALE = 'autoscaling/v1';
const REPLICAS: readonly PathElement[] = ['f:spec', 'f:replicas'];

/** Path of the replicas in each version of a kind; undefined for a version without scale. */
export type ReplicasPaths = ReadonlyMap<string, readonly PathElement[] | undefined>;

/** Returns the managedFields of an object's Scale: those of the object, reduced to the owners of the replicas. */
export function toScaleFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): readonly ManagedFieldsEntry[] {
  const managers = new Managers();
  for (const manager of readManagers(entries)) {
    const path = paths.get(manager.apiVersion);
    if (path === undefined || !hasPath(manager.fields, path)) continue;
    const { entry: _, ...rest } = manager;
    managers.set({ ...rest, apiVersion: SCALE, fields: fieldPath(...REPLICAS) });
  }
  return managers.toEntries();
}

/**
 * Returns the managedFields of an object after its Scale was written in that version: the replicas may have a new
 * owner.
 */
export function fromScaleFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  scaleEntries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
  apiVersion: string,
): readonly ManagedFieldsEntry[] {
  const parent = readManagers(entries);
  const scale = readManagers(scaleEntries);
  const managers = new Managers();
  for (const manager of parent) {
    if (!paths.has(manager.apiVersion)) continue;
    const path = paths.get(manager.apiVersion);
    if (path === undefined || !hasPath(manager.fields, path)) {
      managers.set(manager);
      continue;
    }
    const still = scale.get({ ...manager, apiVersion: SCALE });
    if (still !== undefined) {
      managers.set(manager);
      scale.delete(still);
      continue;
    }
    const fields = difference(manager.fields, fieldPath(...path));
    const { entry: _, ...rest } = manager;
    if (!isEmpty(fields)) managers.set({ ...rest, fields });
  }
  const path = paths.get(apiVersion);
  for (const { entry: _, ...manager } of scale) {
    if (path === undefined || !hasPath(manager.fields, REPLICAS)) continue;
    // The server knows times only from the object's own entries, so that a new owner has none.
    managers.set({ ...manager, apiVersion, time: undefined, fields: fieldPath(...path) });
  }
  return managers.toEntries();
}
