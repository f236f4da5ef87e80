import { VMIS, type Vmim } from '#api/kubevirt/resources';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { virtualMachineInstanceMigration } from '#api/kubevirt/virtual-machine-instance-migration';
import type { Client } from '#platform/kube/client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { Lookup } from '#vm/admission/admitter';
import type { ReviewRequest } from './admission-review.ts';

/**
 * Returns the lookup for a review. The instance of a new migration may be too new for a cache, and is then read from
 * the API server.
 */
export async function withMigrationTarget(
  { kind, operation, object, namespace = '' }: ReviewRequest,
  lookup: Lookup,
  client: Client,
  signal: AbortSignal,
): Promise<Lookup> {
  const { group, kind: migration } = virtualMachineInstanceMigration;
  if (operation !== 'CREATE' || kind.group !== group || kind.kind !== migration) return lookup;
  const { vmiName } = ((object ?? {}) as Partial<Vmim>).spec ?? {};
  if (typeof vmiName !== 'string' || vmiName === '') return lookup;
  if (lookup(virtualMachineInstance, namespace, vmiName) !== undefined) return lookup;
  const instance = await ignoreNotFound(client.get(VMIS, vmiName, { namespace, signal }));
  return (wanted, ...place) =>
    wanted.kind === virtualMachineInstance.kind ? (instance as never) : lookup(wanted, ...place);
}
