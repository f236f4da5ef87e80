import { UsageError } from '#platform/base/errors';
import { formatFieldError } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { findAdmission } from '#vm/dialects/admitters';

const admissionOf = findAdmission();

/** The object itself where every rule of its kind is kept; otherwise it is refused with all that is wrong. */
export function assertValid<T extends object>(object: T): T {
  withDefaults(object);
  return object;
}

/** An object of ours as it would be stored: with all that its kind fills in. */
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
  const unknown = (admitted?.unknownFields ?? []).map((path) => `unknown field "${path}"`);
  const causes = [...unknown, ...(admitted?.causes ?? []).map(formatFieldError)];
  if (causes.length === 0) return (admitted?.object ?? placed) as unknown as KubeObject;
  throw new UsageError(`the ${kind} "${metadata.name ?? ''}" would be refused:\n  ${causes.join('\n  ')}`);
}
