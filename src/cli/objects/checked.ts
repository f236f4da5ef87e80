import { findAdmission } from '../../admission/admitters.ts';
import { UsageError } from '../../base/errors.ts';
import { formatFieldError } from '../../base/field-error.ts';
import type { KubeObject } from '../../kube/kube-object.ts';

const admissionOf = findAdmission({ operatorUser: '' });

/** The object itself where every rule of its kind is kept; otherwise it is refused with all that is wrong. */
export function checked<T extends object>(object: T): T {
  const { apiVersion, kind, metadata } = object as unknown as KubeObject;
  const admitted = admissionOf(
    apiVersion,
    kind,
  )?.({
    operation: 'CREATE',
    object: structuredClone({ ...object, metadata: { namespace: 'default', ...metadata } }),
    user: { name: 'cli', groups: [] },
    lookup: () => undefined,
  });
  const causes = (admitted?.causes ?? []).map(formatFieldError);
  if (causes.length === 0) return object;
  throw new UsageError(`the ${kind} "${metadata.name ?? ''}" would be refused:\n  ${causes.join('\n  ')}`);
}
