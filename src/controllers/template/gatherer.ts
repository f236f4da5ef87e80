import { MACHINES_FROM, templateFor } from '../../api/hypersdk/template-use.ts';
import type { VirtualMachine } from '../../api/hypersdk/virtual-machine.ts';
import { isSameJson } from '../../base/json-same.ts';
import { HYPERSDK_VMS, type Template, VM_TEMPLATES } from '../../kube/kinds/hypersdk.ts';
import type { Gatherer } from '../../machine/gatherer.ts';
import type { Change } from '../../runtime/cache.ts';
import { watched } from '../../runtime/controller.ts';
import { keyOf } from '../../runtime/key.ts';
import { namersOf } from './users.ts';

/** Finds the templates of machines, and wakes the machines that name one when it comes, changes or goes. */
export const templateGatherer: Gatherer<'template'> = {
  watches: [
    watched(VM_TEMPLATES, (template, { cache }, change) =>
      concernsMachines(change) ? namersOf(keyOf(template), cache(HYPERSDK_VMS)) : [],
    ),
  ],
  gather(machine, { cache }) {
    return templateFor(machine as unknown as VirtualMachine, (key) => cache(VM_TEMPLATES).get(key));
  },
};

/** How many machines a template has is nothing to them. */
function concernsMachines({ type, object, old }: Change<Template>): boolean {
  if (type !== 'updated') return true;
  return object.metadata.generation !== old.metadata.generation || !isSameJson(judged(object), judged(old));
}

const judged = ({ metadata, status }: Template) => ({
  ready: status?.ready ?? null,
  of: status?.observedGeneration ?? null,
  shared: metadata.annotations?.[MACHINES_FROM] ?? null,
});
