import { SERVICES } from '#platform/kube/kinds/core';
import type { Context } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { createUnlessExists } from './create-unless-exists.ts';
import type { OwnerVm, VmResourceGroup } from './group.ts';
import type { ResourceEntry } from './resource-entry.ts';
import { hasOtherPorts, newService } from './service.ts';

/** Creates the Service of a VM and updates its ports, unless its name is taken or cannot be that of a Service. */
export async function provideService<M extends OwnerVm>(
  group: VmResourceGroup<M>,
  vm: M,
  entry: ResourceEntry,
  context: Context,
): Promise<void> {
  const { cache, client, events } = context;
  if (!entry.serviceWrites.isMet(cache(SERVICES))) return;
  const { name, uid, namespace } = vm.metadata;
  const ports = group.portsOf?.(vm, context);
  const found = cache(SERVICES).get(keyOf(vm));
  if (found !== undefined) {
    const isOwn = found.metadata.ownerReferences?.some((ref) => ref.uid === uid) === true;
    const message = `Service ${name} already exists and is not changed: the VM has no Service of its own`;
    if (!isOwn) entry.warn(vm, 'ServiceNameTaken', message, events);
    if (!isOwn || ports === undefined || !hasOtherPorts(found, ports)) return;
    const body = { metadata: { uid: found.metadata.uid }, spec: { ports: ports.length === 0 ? null : ports } };
    entry.serviceWrites.wrote(await client.patch(SERVICES, name, { type: 'merge', body }, { namespace }));
    return;
  }
  const service = newService(group, vm, ports);
  if (service === undefined) {
    const message = `${name} cannot be the name of a Service, which begins with a letter and has no dots: the VM has no Service`;
    return entry.warn(vm, 'NoService', message, events);
  }
  const made = await createUnlessExists(client.create(SERVICES, service));
  if (made !== undefined) entry.serviceWrites.wrote(made);
}
