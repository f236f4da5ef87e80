import type { JsonObject } from '#platform/kube/patches/json-object';
import { difference, type FieldSet, intersection, isEmpty, union, unionOf } from './field-set.ts';
import type { ManagedKind } from './managed-fields.ts';
import type { Manager, Managers } from './managers.ts';
import { ownedFields } from './owned-fields.ts';
import { removeFields, withNamedFields } from './prune.ts';
import type { Type } from './type.ts';

interface View {
  readonly type: Type;
  convert(object: JsonObject): JsonObject;
}

/**
 * Returns the merged object without what the applier's last configuration had and its current one has not, unless
 * another manager owns it. `managers` already contain the current configuration.
 */
export function withoutAbandoned(
  merged: JsonObject,
  managers: Managers,
  last: Manager | undefined,
  present: FieldSet,
  kind: ManagedKind,
): JsonObject {
  if (last === undefined || isEmpty(last.fields)) return merged;
  const sameVersion = last.apiVersion === kind.apiVersion;
  if (sameVersion && isEmpty(difference(last.fields, present))) return merged;
  const view = viewOf(kind, last.apiVersion);
  if (view === undefined) return merged;
  const converted = sameVersion ? merged : view.convert(merged);
  const named = withNamedFields(last.fields, view.type);
  const bare = removeFields(converted, named, view.type);
  const owned = addBackOwned(converted, bare, last.apiVersion, managers, kind);
  const kept = allNamed(sameVersion ? owned : view.convert(owned), view.type);
  const gone = intersection(difference(allNamed(converted, view.type), kept), named);
  const pruned = removeFields(converted, gone, view.type);
  return sameVersion ? pruned : (viewOf(kind, kind.apiVersion)?.convert(pruned) ?? pruned);
}

/** Adds back what was removed although a manager, including the applier, owns it; each in the version it wrote. */
function addBackOwned(
  merged: JsonObject,
  bare: JsonObject,
  first: string,
  managers: Managers,
  kind: ManagedKind,
): JsonObject {
  const owned = Map.groupBy(managers, ({ apiVersion }) => apiVersion);
  const versions = [first, ...[...owned.keys()].filter((apiVersion) => apiVersion !== first)];
  let whole = merged;
  let pruned = bare;
  let at = first;
  for (const apiVersion of versions) {
    const fields = unionOf((owned.get(apiVersion) ?? []).map((manager) => manager.fields));
    const view = viewOf(kind, apiVersion);
    if (view === undefined) continue;
    if (apiVersion !== at) {
      whole = view.convert(whole);
      pruned = view.convert(pruned);
      at = apiVersion;
    }
    const keep = union(allNamed(pruned, view.type), withNamedFields(fields, view.type));
    pruned = removeFields(whole, difference(allNamed(whole, view.type), keep), view.type);
  }
  return pruned;
}

function allNamed(object: JsonObject, type: Type): FieldSet {
  return withNamedFields(ownedFields(object, type), type);
}

function viewOf(kind: ManagedKind, apiVersion: string): View | undefined {
  const version = kind.version?.(apiVersion);
  if (apiVersion !== kind.apiVersion || version !== undefined) return version;
  return { type: kind.type, convert: (object) => object };
}
