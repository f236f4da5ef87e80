import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { UsageError, VimanaError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { dialectOf } from '#vm/dialects/dialect-of';
import { instanceName } from '#vm/engine/dialect';
import { ownerOf } from '#vm/view/instance-owner';
import { type CliVm, type VmType, vmTypes } from './vm-kinds.ts';

export interface FoundVm {
  readonly type: VmType;
  readonly machine: CliVm;
}

/**
 * Finds the VM with a name in any group; if several groups have it, the user must choose one. A name may also be what
 * `-o name` prints: virtualmachine.kubevirt.io/web.
 */
export async function findVm(
  client: Client,
  given: string,
  namespace: string,
  target: string | undefined,
): Promise<FoundVm> {
  const [, named, name = given] = /^(?:vm|vms|virtualmachines?)(?:\.([a-z0-9.-]+))?\/([^/]+)$/.exec(given) ?? [];
  const group = named ?? target;
  const types = await vmTypes(client, group);
  const all = await Promise.all(types.map((type) => present(client, type, name, namespace)));
  const [found, another] = all.filter((each) => each !== undefined);
  if (found === undefined) {
    throw new VimanaError('NOT_FOUND', `VirtualMachine "${namespace}/${name}" not found`, {
      hint: 'List VMs with: vimana vm list -A',
    });
  }
  if (another === undefined) return found;
  const groups = all.flatMap((each) => (each === undefined ? [] : [each.type.group]));
  throw new UsageError(`VirtualMachine "${namespace}/${name}" exists in ${groups.join(' and ')}`, {
    hint: `Select one with --group, for example --group ${groups[0] ?? ''}.`,
  });
}

/** Returns the current instance of a VM. */
export async function instanceOf(client: Client, found: FoundVm): Promise<Vmi | undefined> {
  const { namespace = '', uid } = found.machine.metadata;
  const instance = await ignoreNotFound(client.get(VMIS, instanceNameOf(found), { namespace }));
  return instance !== undefined && ownerOf(instance) === uid ? instance : undefined;
}

/** Returns the name of a VM's instance. */
export function instanceNameOf({ type, machine }: FoundVm): string {
  return instanceName(dialectOf(type.group), machine.metadata.name ?? '');
}

async function present(client: Client, type: VmType, name: string, namespace: string): Promise<FoundVm | undefined> {
  const machine = await ignoreNotFound(client.get(type, name, { namespace }));
  return machine === undefined ? undefined : { type, machine };
}
