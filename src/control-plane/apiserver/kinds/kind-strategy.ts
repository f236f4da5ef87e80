import type { FieldError } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { User } from '../access/user.ts';

/**
 * Behavior of the API server for one kind beyond its schema, where `Fields` are the fields that the rules read. All
 * functions are pure except for the object they are given, which is decoded (types are correct, nulls and Go's zero
 * values are removed) and, except in `defaults`, defaulted.
 */
export interface KindStrategy<Fields extends object = object> {
  /** Sets defaults in place. */
  defaults?(object: KubeObject & Fields): void;
  /** Returns the status of a new object, for kinds that have one. Defaults to an empty status. */
  firstStatus?(object: KubeObject & Fields): Record<string, unknown>;
  /** Sets other fields that the server decides on creation or knows of the author. The first status is already set. */
  prepareCreate?(object: KubeObject & Fields, user: User): void;
  /** Restores the fields that a writer may not change. */
  prepareUpdate?(object: KubeObject & Fields, old: KubeObject & Fields): void;
  /** Restores the fields that a write of the status may not change. */
  prepareStatusUpdate?(object: KubeObject & Fields, old: KubeObject & Fields): void;
  /** Returns all causes why the object cannot be stored, in the words of Kubernetes. */
  validate?(object: KubeObject & Fields, old?: KubeObject & Fields): readonly FieldError[];
  /** Rules for writes of subresources that are parts of the object, by subresource name. */
  readonly parts?: ReadonlyMap<
    string,
    { validate(object: KubeObject & Fields, old?: KubeObject & Fields): readonly FieldError[] }
  >;
  /** Returns warnings for the writer of a valid object. */
  warnings?(object: KubeObject & Fields, old?: KubeObject & Fields): readonly string[];
  /** Marks an object whose deletion has just been requested. */
  onDelete?(object: KubeObject & Fields): void;
  /** Reports whether a deleted object must be retained, besides its finalizers. */
  unfinished?(object: KubeObject & Fields): boolean;
  /** Returns the grace period of a deletion in seconds. */
  graceSeconds?(object: KubeObject & Fields, requested: number | undefined): number;
}
