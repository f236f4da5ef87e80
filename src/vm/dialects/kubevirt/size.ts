import type { VirtualMachine } from '#api/kubevirt/virtual-machine';
import type { SizeEdit, VmSize } from '#vm/engine/dialect';

type Domain = VirtualMachine['spec']['template']['spec']['domain'];

/** Returns the size of the guest by the template: all threads, and its memory. */
export function kubevirtSizeOf({ spec }: VirtualMachine): VmSize {
  const { domain } = spec.template.spec;
  return { cpus: (domain.cpu?.sockets ?? 1) * inSocket(domain), memory: `${memoryOf(domain) ?? '0'}` };
}

/** Resizes by sockets, which can be plugged in. Cores and threads stay as the user has chosen them. */
export function kubevirtResize(vm: VirtualMachine, { cpus, memory }: VmSize): SizeEdit {
  const { domain } = vm.spec.template.spec;
  const whole = inSocket(domain);
  if (cpus % whole !== 0) {
    const { cores = 1, threads = 1 } = domain.cpu ?? {};
    const shape = `${cores} cores with ${threads} threads in each socket`;
    return {
      conflict: `${cpus} CPUs are not a whole number of sockets: the VM has ${shape}, so the number must be a multiple of ${whole}`,
    };
  }
  const before = kubevirtSizeOf(vm);
  const changed = {
    ...(cpus === before.cpus ? {} : { cpu: { sockets: cpus / whole } }),
    ...(memory === before.memory ? {} : memoryEdit(domain, memory)),
  };
  return { spec: { template: { spec: { domain: changed } } } };
}

const inSocket = ({ cpu }: Domain) => (cpu?.cores ?? 1) * (cpu?.threads ?? 1);

const memoryOf = ({ memory, resources }: Domain) => memory?.guest ?? resources?.requests?.['memory'];

/** Sets the memory in the field that holds it. */
function memoryEdit({ memory, resources }: Domain, amount: string): object {
  const request = resources?.requests?.['memory'];
  if (memory?.guest === undefined && request !== undefined) return { resources: { requests: { memory: amount } } };
  return { memory: { guest: amount } };
}
