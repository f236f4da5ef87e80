import { VMIS } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import { type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import { type Dialect, vmName } from './dialect.ts';
import { ownership, shutdownOf, unseenEnd } from './instance-state.ts';
import type { VmEntries } from './vm-entries.ts';
import type { AnyVm } from './vm-scope.ts';

/**
 * Maps an instance to the VM of that name, by name alone, since an instance without an owner or of another owner
 * concerns that VM too.
 */
export function instanceWatch(dialect: Dialect, type: ResourceType<AnyVm>, entries: VmEntries): WatchSource {
  return watchSource(VMIS, (instance, { cache }, change) => {
    const { namespace, name } = instance.metadata;
    const machine = vmName(dialect, name);
    const key = keyIn(namespace, machine);
    const vm = machine === undefined ? undefined : cache(type).get(key);
    if (vm === undefined) return [];
    const entry = entries.find(key);
    if (entry === undefined) return [key];
    // Its creator has already decided what follows.
    const known = entry.creating || entry.instanceWrites.isEcho(instance);
    if (change.type === 'added' && known && !entry.endWait()) return [];
    // This may be the only observation of its end.
    const gone = change.type === 'deleted' && ownership(instance, vm.metadata.uid) === 'own';
    if (gone) entry.unreported = shutdownOf(instance) ?? unseenEnd(instance);
    return [key];
  });
}
