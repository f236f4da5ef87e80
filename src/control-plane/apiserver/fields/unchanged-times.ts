import type { JsonObject } from '#platform/kube/patches/json-object';
import { isObject, member, sameJson } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import { liveEntries } from './managed-fields.ts';
import type { ManagedFieldsEntry } from './managers.ts';

/**
 * Returns the object to store, with the live managedFields if it differs from the live object only in their times: a
 * write that changes nothing must store nothing.
 */
export function withUnchangedTimes(live: JsonObject, next: JsonObject): JsonObject {
  const before = liveEntries(live);
  const after = liveEntries(next);
  if (before === after || before === undefined || after === undefined || before.length !== after.length) return next;
  if (!before.every((entry, i) => sameButTime(entry, after[i] as ManagedFieldsEntry))) return next;
  const metadata = member(next, 'metadata');
  if (!isObject(metadata)) return next;
  const kept = { ...next, metadata: { ...metadata, managedFields: before as unknown as Json } };
  return sameJson(live, kept) ? kept : next;
}

function sameButTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean {
  return sameJson({ ...a, time: '' }, { ...b, time: '' });
}
