import { HYPERSDK_VMS, type Template, VM_TEMPLATES } from '#api/hypersdk/resources';
import { MACHINES_FROM, templateFor } from '#api/hypersdk/template-use';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { jsonEqual } from '#platform/base/json-equal';
import type { Change } from '#platform/runtime/cache';
import { watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import { referencingVms } from './users.ts';

/** Provides the templates of VMs, and wakes the VMs that reference one when it is created, changed or deleted. */
export const templateProvider: DependencyProvider<'template'> = {
  watches: [
    watchSource(VM_TEMPLATES, (template, { cache }, change) =>
      concernsMachines(change) ? referencingVms(keyOf(template), cache(HYPERSDK_VMS)) : [],
    ),
  ],
  provide(vm, { cache }) {
    return templateFor(vm as unknown as VirtualMachine, (key) => cache(VM_TEMPLATES).get(key));
  },
};

/** Reports whether a change of a template concerns its VMs. The number of VMs does not. */
function concernsMachines({ type, object, old }: Change<Template>): boolean {
  if (type !== 'updated') return true;
  return (
    object.metadata.generation !== old.metadata.generation || !jsonEqual(templateVerdict(object), templateVerdict(old))
  );
}

const templateVerdict = ({ metadata, status }: Template) => ({
  ready: status?.ready ?? null,
  of: status?.observedGeneration ?? null,
  shared: metadata.annotations?.[MACHINES_FROM] ?? null,
});
