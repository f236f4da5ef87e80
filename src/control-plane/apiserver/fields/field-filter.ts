import { EMPTY, type FieldSet, recursiveDifference } from './field-set.ts';

/** Fields that a write through some endpoint cannot set, so that nobody comes to own them by it. */
export interface FieldFilter {
  /** These and all below them. */
  readonly exclude: FieldSet;
}

export const NO_FILTER: FieldFilter = { exclude: EMPTY };

export function filterFields(set: FieldSet, filter: FieldFilter): FieldSet {
  return recursiveDifference(set, filter.exclude);
}
