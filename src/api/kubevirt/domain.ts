import { requiredField } from '#platform/schema/schema';
import { cpu, memory, resources } from './cpu-memory.ts';
import { devices } from './devices.ts';
import { clock, features, firmware, machine } from './firmware.ts';
import { kubevirtObject } from './upstream.ts';

export const domain = kubevirtObject('DomainSpec', 'Hardware of the VM: CPU, memory, devices, firmware.', {
  cpu,
  memory,
  resources,
  devices: requiredField(devices),
  machine,
  firmware,
  features,
  clock,
});
