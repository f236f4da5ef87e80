import type { FieldError } from '#platform/base/field-error';
import type { InputOf, Kind, ObjectOf } from '#platform/schema/kind';

/** Who sends a request, as the API server knows them. */
export interface Requester {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Reads another object that a rule depends on; undefined where it does not exist (or not yet). */
export type Lookup = <K extends Kind>(kind: K, namespace: string, name: string) => ObjectOf<K> | undefined;

/** One write as admission sees it; `object` is defaulted and valid by its schema, on DELETE it is what goes away. */
export interface AdmissionRequest<T> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly object: T;
  readonly old?: T;
  readonly user: Requester;
  /** Whether the requester has the verb `operate` on the object; nobody has where absent. */
  readonly operates?: () => boolean;
  readonly subresource?: string;
  readonly lookup: Lookup;
}

/** Any cause refuses the write; warnings are shown to the user and refuse nothing. */
export interface AdmissionResult {
  readonly causes: readonly FieldError[];
  readonly warnings: readonly string[];
}

/**
 * What a kind asks beyond its schema. Both functions are pure over their arguments and never throw on an object
 * that is valid by its schema; `validate` reports all causes at once.
 */
export interface Admitter<K extends Kind = Kind> {
  readonly kind: K;
  /**
   * What holds an object until its controller has cleaned up. Put on with the creation it costs no write of its own; it
   * is left out where nothing acts on the kind, since then nothing would take it off either.
   */
  readonly finalizer?: string;
  /** Which objects it is for; absent: all. Asked only about objects that are valid by their schema. */
  hasFinalizer?(object: InputOf<K>): boolean;
  /**
   * Fills in what a schema default cannot say; returns the same object where there is nothing to fill in. It is asked
   * only about objects that are valid by their schema, so no rule of the schema may demand what it fills in.
   */
  defaults?(object: InputOf<K>): InputOf<K>;
  validate(request: AdmissionRequest<ObjectOf<K>>): AdmissionResult;
}
