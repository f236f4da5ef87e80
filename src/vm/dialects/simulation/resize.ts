import { isRatio } from '#api/simulation/resources';
import type { VirtualMachine } from '#api/simulation/virtual-machine';
import type { SizeEdit, VmSize } from '#vm/engine/dialect';

/** Returns the new size. A VM sized as a ratio of a node has no size of its own to change. */
export function simulatedResize({ spec }: VirtualMachine, { cpus, memory }: VmSize): SizeEdit {
  if (isRatio(spec.resources.memory)) {
    return { conflict: 'the size of the VM is a fraction of a node: change spec.resources of the VM itself' };
  }
  return { spec: { resources: { cpu: `${cpus}`, memory } } };
}
