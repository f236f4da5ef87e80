import { type FieldError, index, invalid } from '#platform/base/field-error';
import type { Crd } from '../crd.ts';

const PATH = 'status.storedVersions';

/** Rejects the removal of a version in which objects may still be stored. */
export function validateStoredVersion({ spec, status }: Crd): FieldError[] {
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalid(PATH, null, 'must have at least one stored version')];
  const causes: FieldError[] = [];
  // Each name is found only once, so a second version of the same name is not.
  const left = new Set(stored);
  for (const { name, storage } of spec.versions) {
    if (!left.delete(name) && storage) causes.push(invalid(PATH, stored, `must have the storage version ${name}`));
  }
  for (const [i, name] of stored.entries()) {
    if (!left.has(name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    causes.push(invalid(index(PATH, i), name, detail));
  }
  return causes;
}
