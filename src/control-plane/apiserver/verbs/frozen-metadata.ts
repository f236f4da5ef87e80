import { type FieldError, forbidden, invalid } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { conflict } from '../api-error.ts';
import { keyOf, type Resource } from '../resource.ts';
import type { Target } from './target.ts';

type Metadata = KubeObject['metadata'];

const FROZEN = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** Validates metadata that only the server sets. Omitting it or repeating its value changes nothing. */
export function validateFrozen(sent: Metadata, old: Metadata): FieldError[] {
  // The deletionTimestamp stays as it was decided, whatever is sent later.
  const fields = old.deletionTimestamp === undefined ? FROZEN : FROZEN.filter((field) => field !== 'deletionTimestamp');
  const causes = fields
    .filter((field) => (sent[field] ?? '') !== '' && sent[field] !== old[field])
    .map((field) => invalid(`metadata.${field}`, sent[field], 'field is immutable'));
  // The API server validates these twice, and reports them twice.
  return causes.length === 0 ? causes : [...causes, ...causes];
}

/** Validates that no finalizers are added once an object is being deleted. */
export function validateAddedFinalizers({ metadata }: KubeObject, old: KubeObject): FieldError[] {
  if (old.metadata.deletionTimestamp === undefined) return [];
  const before = new Set(old.metadata.finalizers);
  const added = (metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  if (added.length === 0) return [];
  const names = added
    .sort()
    .map((name) => JSON.stringify(name))
    .join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`;
  return [forbidden('metadata.finalizers', detail)];
}

/** Checks that a PUT with a uid is for the object of that uid; `old` is absent if there is no object of the name. */
export function checkUid({ resource, namespace, name }: Target, { uid = '' }: Metadata, old?: Metadata): void {
  if (uid === '' || uid === old?.uid) return;
  const place = `Key: ${keyOf(resource, namespace, name)}, ResourceVersion: 0`;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old?.uid ?? ''}`;
  throw conflict(resource, name, `StorageError: invalid object, Code: 4, ${place}, AdditionalErrorMsg: ${why}`);
}

/** Rejects a configuration with a uid for a new object. */
export function checkNewUid(resource: Resource, name: string, { uid = '' }: Metadata): void {
  if (uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(resource, name, why);
}
