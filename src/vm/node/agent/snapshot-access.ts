import { readRestoreRequest } from '#api/disk/request';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { KINDS } from '#api/kinds';
import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { type NamedVm, namedVmOf } from '#vm/storage/disk/active-clone';
import { isDiskOf } from '#vm/storage/disk/machine-disk';
import { firstCrossNamespaceDenial } from '#vm/storage/namespace-grant';
import type { MachineSpec } from '../machine-spec.ts';

type Reader = Pick<Client, 'get'>;

/**
 * Returns why a node agent must not capture or restore what the status of a snapshot names, or undefined if it may. A
 * writer of that status could name the disks of others, so access is checked against the VM itself and its namespace.
 */
export async function snapshotDenial(
  snapshot: Snapshot,
  to: 'capture' | 'restore',
  running: MachineSpec | undefined,
  client: Reader,
): Promise<string | undefined> {
  const machine = namedVmOf(snapshot);
  const { namespace } = snapshot.metadata;
  const objection = await firstCrossNamespaceDenial(
    namespace,
    [machine.namespace],
    { namespace: () => undefined },
    client,
  );
  if (objection !== undefined) return objection.message;
  const what = `VirtualMachine.${machine.group} ${machine.namespace}/${machine.name}`;
  if (to === 'capture' && snapshot.status?.instanceUID !== undefined) {
    const isOwn = running !== undefined && (await isInstanceOf(running, machine, client));
    return isOwn ? undefined : `the instance to capture does not belong to ${what}`;
  }
  const vm = await findVm(machine, client);
  if (vm === undefined) return `${what} not found`;
  if (to === 'restore' && !isRequestFor(vm, snapshot))
    return `${what} has not requested to be restored from this snapshot`;
  for (const { name, claim } of snapshot.status?.disks ?? []) {
    const found = await ignoreNotFound(client.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace: machine.namespace }));
    // A missing claim is reported where it is looked up.
    if (found !== undefined && !isDiskOf(found, vm))
      return `PersistentVolumeClaim ${claim} of disk ${name} does not belong to ${what}`;
  }
  return undefined;
}

async function findVm({ group, namespace, name }: NamedVm, client: Reader): Promise<KubeObject | undefined> {
  const kind = KINDS.find((each) => each.group === group && each.kind === 'VirtualMachine');
  return kind === undefined ? undefined : await ignoreNotFound(client.get(resourceTypeFor(kind), name, { namespace }));
}

async function isInstanceOf(running: MachineSpec, machine: NamedVm, client: Reader): Promise<boolean> {
  if (running.namespace !== machine.namespace) return false;
  const found = await ignoreNotFound(client.get(VMIS, running.name, { namespace: running.namespace }));
  const owner = found?.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (found?.metadata.uid !== running.id || owner === undefined) return false;
  return owner.name === machine.name && owner.apiVersion.startsWith(`${machine.group}/`);
}

function isRequestFor({ metadata }: KubeObject, snapshot: Snapshot): boolean {
  const requested = readRestoreRequest(metadata.annotations);
  return (
    requested?.uid === snapshot.status?.restore?.uid &&
    requested?.snapshot === snapshot.metadata.name &&
    (requested?.namespace ?? metadata.namespace) === snapshot.metadata.namespace
  );
}
