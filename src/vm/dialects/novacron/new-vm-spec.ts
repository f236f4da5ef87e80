import { ROOT_DISK } from '#api/novacron/claims';
import type { VirtualMachineInput } from '#api/novacron/virtual-machine';
import type { NewVmOptions, VmDisk, VmMedia } from '../registration.ts';

export function newVmSpec({ cpus, memory, image = 'marketplace://ubuntu-22.04-lts', running }: NewVmOptions): object {
  return { running, template: { spec: { resources: { cpu: cpus, memory }, image: { source: image } } } };
}

export function mediaOf(spec: object): VmMedia {
  const { template } = spec as Partial<VirtualMachineInput['spec']>;
  const { image, resources, volumes = [] } = template?.spec ?? {};
  const root = resources?.disk === undefined ? [] : [{ name: ROOT_DISK, size: `${resources.disk}` }];
  return { image: image?.source, disks: [...root, ...(volumes as readonly VmDisk[])] };
}
