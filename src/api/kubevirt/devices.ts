import { boolean, choice, list, object, requiredField, string } from '#platform/schema/schema';
import { disks } from './disk.ts';
import { interfaces } from './network.ts';
import { kubevirtObject } from './upstream.ts';

const gpu = kubevirtObject('GPU', 'A GPU of the node that is passed through to the VM.', {
  name: requiredField(string('Name of the device.', { minLength: 1, maxLength: 253 })),
  deviceName: string('Resource name of the GPU on nodes, such as nvidia.com/TU104GL_Tesla_T4.', {
    maxLength: 317,
  }),
});

const watchdog = kubevirtObject('Watchdog', 'A watchdog that acts when the guest hangs.', {
  name: requiredField(string('Name of the device.', { minLength: 1, maxLength: 253 })),
  i6300esb: object('Intel 6300ESB watchdog.', {
    action: choice('What happens to a guest that hangs. Defaults to reset.', ['poweroff', 'reset', 'shutdown']),
  }),
});

export const devices = kubevirtObject('Devices', 'Devices of the VM.', {
  disks,
  interfaces,
  gpus: list('GPUs that are passed through to the VM.', gpu, { maxItems: 256 }),
  rng: object('Gives the guest random numbers from the node.', {}),
  watchdog,
  tpm: object('A trusted platform module.', {
    enabled: boolean('Whether the module is present. Defaults to true.'),
    persistent: boolean('Keeps its contents across restarts.'),
  }),
  autoattachPodInterface: boolean('Adds an interface on the pod network if none is specified. Defaults to true.'),
  autoattachGraphicsDevice: boolean('Adds a graphics card, which VNC needs. Defaults to true.'),
  autoattachSerialConsole: boolean('Adds a serial console. Defaults to true.'),
  autoattachMemBalloon: boolean('Adds a memory balloon, which memory figures need. Defaults to true.'),
  autoattachInputDevice: boolean('Adds a tablet as pointer. Defaults to false.'),
  autoattachVSOCK: boolean('Adds a socket between node and guest. Defaults to false.'),
});
