import { EMPTY, type FieldSet, recursiveDifference } from './field-set.ts';

/** Defines the fields that a write through some endpoint cannot set, so that no manager owns them by it. */
export interface FieldFilter {
  /** These fields and all below them. */
  readonly exclude: FieldSet;
}

export const NO_FILTER: FieldFilter = { exclude: EMPTY };

export function filterFields(set: FieldSet, filter: FieldFilter): FieldSet {
  return recursiveDifference(set, filter.exclude);
}
