import { resourceTypeFor } from '#api/kubevirt/resources';
import { UsageError } from '#platform/base/errors';
import type { Client, ResourceType } from '#platform/kube/client';
import type { Kind } from '#platform/schema/kind';
import type { VmObject } from '#vm/view/vm-object';
import { VM_KINDS } from '../vm-groups.ts';

export type CliVm = VmObject;
export type VmType = ResourceType<CliVm>;

const typeOf = (kind: Kind): VmType => resourceTypeFor(kind) as unknown as VmType;

/** Returns the VirtualMachine types that a cluster serves, of one group or of all. */
export async function vmTypes(client: Client, group: string | undefined): Promise<readonly VmType[]> {
  const { groups } = JSON.parse(await client.raw('/apis')) as { readonly groups: readonly { readonly name: string }[] };
  const known = VM_KINDS.filter((kind) => groups.some(({ name }) => name === kind.group));
  const isHere = await Promise.all(known.map((kind) => serves(client, kind)));
  const served = known.filter((_kind, i) => isHere[i]);
  const desired = served.filter((kind) => group === undefined || kind.group === group);
  if (desired.length > 0) return desired.map(typeOf);
  throw new UsageError(
    group === undefined
      ? 'this cluster does not serve VirtualMachines of any group'
      : `this cluster does not serve VirtualMachines of the group ${group}`,
    {
      hint:
        served.length > 0
          ? `It serves those of ${served.map((kind) => kind.group).join(', ')}.`
          : 'Install the CRDs with: vimana crds | kubectl apply -f -',
    },
  );
}

/**
 * Reports whether a kind is served. A group may lack its VMs: instances of kubevirt.io exist wherever VMs of any group
 * do.
 */
async function serves(client: Client, { group, versions: [version], plural }: Kind): Promise<boolean> {
  const text = await client.raw(`/apis/${group}/${version}`);
  const { resources } = JSON.parse(text) as { readonly resources: readonly { readonly name: string }[] };
  return resources.some(({ name }) => name === plural);
}
