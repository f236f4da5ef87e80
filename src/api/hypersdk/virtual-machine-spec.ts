import { affinity, nodeSelector, tolerations } from '#platform/schema/placement';
import { boolean, map, object, requiredField, string } from '#platform/schema/schema';
import { carbonAware } from './carbon-aware.ts';
import { cloudInit } from './cloud-init.ts';
import { disks } from './disk.ts';
import { gpus, guestAgent, hypersdkFirmware, machineType, usbDevices } from './hardware.ts';
import { highAvailability } from './high-availability.ts';
import { image } from './image.ts';
import { networks } from './network.ts';
import { cpus, hypersdkMemory } from './size.ts';

/** Fields of a VM. VirtualMachine uses them as they are, and VMTemplate makes them optional. */
export const virtualMachineSpec = object('Desired state of the VM.', {
  cpus: requiredField(cpus),
  memory: requiredField(hypersdkMemory),
  running: boolean('Whether the VM should run.', { default: true }),
  disks,
  networks,
  image,
  cloudInit,
  nodeSelector,
  affinity,
  tolerations,
  carbonAware,
  machineType,
  firmware: hypersdkFirmware,
  guestAgent,
  highAvailability,
  gpus,
  usbDevices,
  labels: map("Labels for the VM's pod.", string('A label value.')),
  annotations: map("Annotations for the VM's pod.", string('An annotation value.')),
});
