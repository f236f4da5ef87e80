import { UsageError } from '#platform/base/errors';
import type { KubeObject } from '#platform/kube/kube-object';
import { findAdmission } from '#vm/dialects/admitters';
import { describeCauses } from '../describe-causes.ts';

const admissionOf = findAdmission();

/** Returns the object if it is valid, and otherwise throws an error with all violations. */
export function assertValid<T extends object>(object: T): T {
  withDefaults(object);
  return object;
}

/** Returns an object of a Vimana kind as it would be stored, with its defaults. */
export function withDefaults(object: object, namespace = 'default'): KubeObject {
  const { apiVersion, kind, metadata } = object as KubeObject;
  const placed = structuredClone({ ...object, metadata: { namespace, ...metadata } }) as KubeObject;
  const user = { name: 'cli', groups: [] };
  const admitted = admissionOf(
    apiVersion,
    kind,
  )?.({
    operation: 'CREATE',
    object: placed,
    user,
    lookup: () => undefined,
  });
  const causes = admitted === undefined ? [] : describeCauses(admitted, { apiVersion, kind });
  if (causes.length === 0) return (admitted?.object ?? placed) as unknown as KubeObject;
  throw new UsageError(`the ${kind} "${metadata.name ?? ''}" is not valid:\n  ${causes.join('\n  ')}`);
}
