import type { NamedKind } from './api-error.ts';

/** Paths of a kind's scale fields, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  /** Path of the selector. Defaults to the label selector of spec.selector. */
  readonly selector?: string;
  /** Kind of a custom resource, whose objects may lack the replica count. */
  readonly custom?: NamedKind;
}

export const BUILT_IN_SCALE: ScalePaths = { spec: '.spec.replicas', status: '.status.replicas' };
