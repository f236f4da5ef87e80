import type { FieldError } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { User } from '../access/user.ts';

/**
 * What the API server does for one kind beyond its shape; `Fields` are those of the kind that the rules look at. All
 * of it is pure but for the object it is given: objects have been decoded (types are right, nulls and Go's zero values
 * gone) and, but for `defaults`, defaulted.
 */
export interface KindStrategy<Fields extends object = object> {
  /** Fills in what the writer left open, in place. */
  defaults?(object: KubeObject & Fields): void;
  /** The status of a new object of a kind that has one; without it, it is empty. */
  firstStatus?(object: KubeObject & Fields): Record<string, unknown>;
  /** Sets what else the server decides on creation, or knows of its author; the first status is there already. */
  prepareCreate?(object: KubeObject & Fields, user: User): void;
  /** Carries over what a writer may not change. */
  prepareUpdate?(object: KubeObject & Fields, old: KubeObject & Fields): void;
  /** The same for a write of the status. */
  prepareStatusUpdate?(object: KubeObject & Fields, old: KubeObject & Fields): void;
  /** All causes why the object cannot be stored, in the words of Kubernetes. */
  validate?(object: KubeObject & Fields, old?: KubeObject & Fields): readonly FieldError[];
  /** The same for writes of a subresource that is a part of the object, by its name. */
  readonly parts?: ReadonlyMap<
    string,
    { validate(object: KubeObject & Fields, old?: KubeObject & Fields): readonly FieldError[] }
  >;
  /** What its writer should hear although it is stored. */
  warnings?(object: KubeObject & Fields, old?: KubeObject & Fields): readonly string[];
  /** Marks an object whose deletion has just been asked for. */
  onDelete?(object: KubeObject & Fields): void;
  /** Whether a deleted object has still to wait, beside its finalizers. */
  unfinished?(object: KubeObject & Fields): boolean;
  /** Seconds between the deletion of an object and its end. */
  graceSeconds?(object: KubeObject & Fields, asked: number | undefined): number;
}
