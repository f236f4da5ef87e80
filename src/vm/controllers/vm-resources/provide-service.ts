import { SERVICES } from '#platform/kube/kinds/core';
import type { Context } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { createUnlessExists } from './create-unless-exists.ts';
import type { OwnerVm, VmResourceGroup } from './group.ts';
import type { ResourceEntry } from './resource-entry.ts';
import { newService } from './service.ts';

/** Creates the Service of a VM, unless its name is taken or cannot be that of a Service. */
export async function provideService<M extends OwnerVm>(
  group: VmResourceGroup<M>,
  vm: M,
  entry: ResourceEntry,
  { cache, client, events }: Context,
): Promise<void> {
  if (!entry.serviceWrites.isMet(cache(SERVICES))) return;
  const { name, uid } = vm.metadata;
  const found = cache(SERVICES).get(keyOf(vm));
  if (found !== undefined) {
    const isOwn = found.metadata.ownerReferences?.some((ref) => ref.uid === uid) === true;
    const message = `Service ${name} is there already and is left alone: the machine has none of its own`;
    if (!isOwn) entry.warn(vm, 'ServiceNameTaken', message, events);
    return;
  }
  const service = newService(group, vm);
  if (service === undefined) {
    const message = `${name} cannot be the name of a Service, which begins with a letter and has no dots: the machine has none`;
    return entry.warn(vm, 'NoService', message, events);
  }
  const made = await createUnlessExists(client.create(SERVICES, service));
  if (made !== undefined) entry.serviceWrites.wrote(made);
}
