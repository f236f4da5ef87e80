import { boolean, choice, list, object, required, string } from '#platform/schema/schema';
import { disks } from './disk.ts';
import { interfaces } from './network.ts';
import { kubevirtObject } from './upstream.ts';

const gpu = kubevirtObject('GPU', 'A graphics card of the node that is handed to the machine.', {
  name: required(string('Name of the device.', { minLength: 1, maxLength: 253 })),
  deviceName: string('Resource name under which nodes offer the card, such as nvidia.com/TU104GL_Tesla_T4.', {
    maxLength: 317,
  }),
});

const watchdog = kubevirtObject('Watchdog', 'A device that acts when the guest stops answering it.', {
  name: required(string('Name of the device.', { minLength: 1, maxLength: 253 })),
  i6300esb: object('Intel 6300ESB watchdog.', {
    action: choice('What happens to a guest that hangs; reset when left out.', ['poweroff', 'reset', 'shutdown']),
  }),
});

export const devices = kubevirtObject('Devices', 'Devices of the machine.', {
  disks,
  interfaces,
  gpus: list('Graphics cards that are handed to the machine.', gpu, { maxItems: 256 }),
  rng: object('Gives the guest random numbers from the node.', {}),
  watchdog,
  tpm: object('A trusted platform module.', {
    enabled: boolean('Whether the module is there; true when left out.'),
    persistent: boolean('Keeps its contents over restarts.'),
  }),
  autoattachPodInterface: boolean('Adds a card on the pod network when no interface is given; true when left out.'),
  autoattachGraphicsDevice: boolean('Adds a graphics card, which VNC needs; true when left out.'),
  autoattachSerialConsole: boolean('Adds a serial console; true when left out.'),
  autoattachMemBalloon: boolean('Adds a memory balloon, which memory figures need; true when left out.'),
  autoattachInputDevice: boolean('Adds a tablet as pointer; false when left out.'),
  autoattachVSOCK: boolean('Adds a socket between node and guest; false when left out.'),
});
