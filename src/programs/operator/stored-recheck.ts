import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { invalid } from '#control-plane/apiserver/api-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind } from '#platform/schema/kind';
import { findAdmission } from '#vm/dialects/admitters';
import type { AdmissionRecheck } from '#vm/engine/admission-recheck';

/** Who has set an annotation of an instance cannot be seen any more, and its addresses are checked when they are used. */
function judged(kind: Kind, object: KubeObject): KubeObject {
  if (kind !== virtualMachineInstance) return object;
  const { annotations: _set, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** As much as a condition can say. */
const MAX_MESSAGE_LENGTH = 32_768;

/** Asks admission once more about what is stored, whoever let it in. */
export function storedRecheck(): AdmissionRecheck {
  const find = findAdmission();
  return (kind, object) => {
    // What is only warned of in the oldest version may have been written in it: machines tell of that in their own words.
    const apiVersion = `${kind.group}/${kind.versions.at(-1) ?? ''}`;
    const owned = object.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
    const verdict = find(
      apiVersion,
      kind.kind,
    )?.({
      operation: 'CREATE',
      object: { ...judged(kind, object), apiVersion, kind: kind.kind },
      readBy: kind.schema,
      user: { name: '', groups: [] },
      // What belongs to a machine was made by the operator, which may give instances any size and label.
      operates: () => owned,
      // What an object refers to may have changed since.
      lookup: () => undefined,
    });
    if (verdict === undefined || verdict.causes.length === 0) return undefined;
    const { message } = invalid(kind, object.metadata.name ?? '', verdict.causes);
    return { reason: 'Invalid', message: message.slice(0, MAX_MESSAGE_LENGTH) };
  };
}
