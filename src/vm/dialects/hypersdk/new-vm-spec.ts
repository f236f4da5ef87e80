import type { VirtualMachineInput } from '#api/hypersdk/virtual-machine';
import type { NewVmExtra, NewVmOptions, VmMedia } from '../registration.ts';
import { binaryMemory } from './binary-memory.ts';

export const NEW_VM_EXTRAS: readonly NewVmExtra[] = ['template', 'templateNamespace', 'checksum', 'disk', 'userData'];

/** Builds the spec of a VM with only the fields that were requested. */
export function newVmSpec(options: NewVmOptions): object {
  const { cpus, memory, running, image: source, template, templateNamespace, checksum, disk = [], userData } = options;
  const templateRef = {
    ...(template === undefined ? {} : { name: template }),
    ...(templateNamespace === undefined ? {} : { namespace: templateNamespace }),
  };
  const image = {
    ...(source === undefined ? {} : { source }),
    ...(isEmpty(templateRef) ? {} : { templateRef }),
    ...(checksum === undefined ? {} : { checksum }),
  };
  return {
    cpus,
    memory: binaryMemory(memory),
    running,
    ...(disk.length === 0 ? {} : { disks: disk.map((each) => ({ ...each })) }),
    ...(isEmpty(image) ? {} : { image }),
    ...(userData === undefined ? {} : { cloudInit: { userData } }),
  };
}

const isEmpty = (object: object) => Object.keys(object).length === 0;

export function mediaOf(spec: object): VmMedia {
  const { image, disks = [] } = spec as Partial<VirtualMachineInput['spec']>;
  return { image: image?.source, template: image?.templateRef?.name, disks: disks as VmMedia['disks'] };
}
