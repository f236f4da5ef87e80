import { resourceTypeFor, VMIS, type Vmi } from '#api/kubevirt/resources';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Holders } from './address-pool.ts';
import type { Dialect } from './dialect.ts';
import { addressesOf, holderOf, identityOf } from './identity.ts';

const instancesByAddress: Index<Vmi> = { values: (instance) => addressesOf(identityOf(instance)) };

/** Holds one index per dialect, since an index is identified by its object and controllers share caches. */
const vmsByAddress = new WeakMap<Dialect, Index>();

function byAddressIn(dialect: Dialect): Index {
  let index = vmsByAddress.get(dialect);
  if (index === undefined) {
    index = { values: (vm) => addressesOf(dialect.recordedState(vm as KubeObject & ObjectOf<Kind>).identity) };
    vmsByAddress.set(dialect, index);
  }
  return index;
}

/** Looks up the holders of an address in stored objects: VMs of all groups by status, instances by annotation. */
export function heldAddresses(dialects: readonly Dialect[], { cache }: Pick<Context, 'cache'>): Holders {
  const instances = cache(VMIS);
  const vms = dialects.map((dialect) => {
    const known = cache<KubeObject>(resourceTypeFor(dialect.kind));
    const index = byAddressIn(dialect);
    return (ip: string) => known.by(index, ip);
  });
  return function* holders(ip) {
    for (const instance of instances.by(instancesByAddress, ip)) yield holderOf(instance);
    for (const by of vms) for (const { metadata } of by(ip)) yield metadata.uid ?? '';
  };
}
