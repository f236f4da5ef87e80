import type { Vmim } from '#api/kubevirt/resources';
import type { FieldError } from '#platform/base/field-error';
import type { InputOf, Kind, ObjectOf } from '#platform/schema/kind';

/** Identity of the requester, as the API server knows it. */
export interface Requester {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Reads another object that a rule depends on, or returns undefined if it does not exist (yet). */
export type Lookup = <K extends Kind>(kind: K, namespace: string, name: string) => ObjectOf<K> | undefined;

/** Returns the migrations of the instance with this namespace and name. */
export type MigrationsOf = (namespace: string, vmiName: string) => Iterable<Vmim>;

/** Write as admission sees it. `object` is defaulted and valid by its schema; on DELETE it is the deleted object. */
export interface AdmissionRequest<T> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly object: T;
  readonly old?: T;
  readonly user: Requester;
  /** Reports whether the requester has the verb `operate` on the object. If unset, no requester has it. */
  readonly operates?: () => boolean;
  readonly subresource?: string;
  readonly lookup: Lookup;
  /** Returns the migrations of an instance. Unset if an object is validated without a cluster that it is created in. */
  readonly migrationsOf?: MigrationsOf;
}

/** Result of admission. Any cause rejects the write; warnings are only shown to the user. */
export interface AdmissionResult {
  readonly causes: readonly FieldError[];
  readonly warnings: readonly string[];
}

/**
 * Defaults and validates a kind beyond its schema, where `validate` reports all causes at once. Both functions are pure
 * and never throw on an object that is valid by its schema.
 */
export interface Admitter<K extends Kind = Kind> {
  readonly kind: K;
  /**
   * Finalizer that retains an object until its controller has cleaned up, set at the creation to save a write. It is
   * omitted if no controller manages the kind, since nothing would remove it.
   */
  readonly finalizer?: string;
  /** Reports whether an object that is valid by its schema gets the finalizer. Defaults to all. */
  hasFinalizer?(object: InputOf<K>): boolean;
  /**
   * Sets defaults that a schema cannot express, or returns the same object if there are none. Called only with objects
   * that are valid by their schema, so no schema rule may require what it sets.
   */
  defaults?(object: InputOf<K>): InputOf<K>;
  validate(request: AdmissionRequest<ObjectOf<K>>): AdmissionResult;
}
