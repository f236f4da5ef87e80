import { admission } from '../admission/admit.ts';
import type { Admitter } from '../admission/admitter.ts';
import type { Kind, ObjectOf } from '../api/kind.ts';
import { formatFieldError } from '../base/field-error.ts';

/** What admission says of a write, in the words that a user reads. */
export interface Trial<K extends Kind> {
  readonly object: ObjectOf<K>;
  readonly causes: readonly string[];
  readonly warnings: readonly string[];
  readonly unknownFields: readonly string[];
}

/** Sends objects of one kind through admission: alone as a create, with an old one as an update of it. */
export function admissionTrial<K extends Kind>(admitter: Admitter<K>): (object: object, old?: object) => Trial<K> {
  const admit = admission(admitter);
  const write = (object: object, old?: ObjectOf<K>) =>
    admit({
      operation: old === undefined ? 'CREATE' : 'UPDATE',
      object: structuredClone(object),
      ...(old === undefined ? {} : { old }),
      user: { name: 'tester', groups: ['system:authenticated'] },
      lookup: () => undefined,
    });
  return (object, old) => {
    const admitted = write(object, old === undefined ? undefined : write(old).object);
    return { ...admitted, causes: admitted.causes.map(formatFieldError) };
  };
}
