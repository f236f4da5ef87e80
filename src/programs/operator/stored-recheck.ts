import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { invalid } from '#control-plane/apiserver/api-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind } from '#platform/schema/kind';
import { findAdmission } from '#vm/dialects/admitters';
import type { AdmissionRecheck } from '#vm/engine/admission-recheck';

/**
 * Strips annotations from an instance: their author is not known any more, and addresses are checked when they are
 * used.
 */
function withoutAnnotations(kind: Kind, object: KubeObject): KubeObject {
  if (kind !== virtualMachineInstance) return object;
  const { annotations: _set, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Maximum length of a condition's message. */
const MAX_MESSAGE_LENGTH = 32_768;

/** Runs admission again on stored objects, regardless of who admitted them. */
export function storedRecheck(): AdmissionRecheck {
  const find = findAdmission();
  return (kind, object) => {
    // Fields that only cause warnings in the oldest version may have been written in it. VMs report those in their own
    // conditions.
    const apiVersion = `${kind.group}/${kind.versions.at(-1) ?? ''}`;
    const owned = object.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
    const verdict = find(
      apiVersion,
      kind.kind,
    )?.({
      operation: 'CREATE',
      object: { ...withoutAnnotations(kind, object), apiVersion, kind: kind.kind },
      readBy: kind.schema,
      user: { name: '', groups: [] },
      // An instance of a VM was created by the operator, which may set any size and label on it.
      operates: () => owned,
      // Referenced objects may have changed since.
      lookup: () => undefined,
    });
    if (verdict === undefined || verdict.causes.length === 0) return undefined;
    const { message } = invalid(kind, object.metadata.name ?? '', verdict.causes);
    return { reason: 'Invalid', message: message.slice(0, MAX_MESSAGE_LENGTH) };
  };
}
