import { type FieldError, index, invalid } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';

const STANDARD = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Validates that a finalizer is known to the server or has a domain. */
export function validateFinalizer(field: string, name: string): FieldError[] {
  if (name.includes('/') || STANDARD.has(name)) return [];
  return [invalid(field, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}

/** Validates all finalizers of an object. */
export function validateFinalizers({ metadata }: KubeObject): FieldError[] {
  return (metadata.finalizers ?? []).flatMap((name, i) => validateFinalizer(index('metadata.finalizers', i), name));
}
