import { formatFieldError } from '#platform/base/field-error';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import { admission } from '#vm/admission/admit';
import type { Admitter } from '#vm/admission/admitter';

/** Admission result of a write, in the words that a user reads. */
export interface Trial<K extends Kind> {
  readonly object: ObjectOf<K>;
  readonly causes: readonly string[];
  readonly warnings: readonly string[];
  readonly unknownFields: readonly string[];
}

type Send<K extends Kind> = (object: object, old?: object, subresource?: string) => Trial<K>;

/** Sends objects of one kind through admission: a single one as a create, with an old one as an update of it. */
export function admissionTrial<K extends Kind>(admitter: Admitter<K>): Send<K> {
  const admit = admission(admitter);
  const write = (object: object, old?: ObjectOf<K>, subresource?: string) =>
    admit({
      operation: old === undefined ? 'CREATE' : 'UPDATE',
      object: structuredClone(object),
      ...(old === undefined ? {} : { old }),
      ...(subresource === undefined ? {} : { subresource }),
      user: { name: 'tester', groups: ['system:authenticated'] },
      lookup: () => undefined,
    });
  return (object, old, subresource) => {
    const admitted = write(object, old === undefined ? undefined : write(old).object, subresource);
    return { ...admitted, causes: admitted.causes.map(formatFieldError) };
  };
}
