import { boolean, choice, integer, list, object, required, string } from '#platform/schema/schema';

export const machineType = choice('Chipset that QEMU emulates.', ['q35', 'pc'], { default: 'q35' });

export const firmware = object(
  'How the machine boots.',
  {
    bootloader: choice('Firmware of the machine.', ['bios', 'uefi'], { default: 'bios' }),
    secureBoot: boolean('Whether only signed boot loaders start; needs bootloader uefi.', { default: false }),
  },
  {
    rules: [
      {
        rule: "!has(self.secureBoot) || !self.secureBoot || (has(self.bootloader) && self.bootloader == 'uefi')",
        message: 'secureBoot needs bootloader uefi',
        fieldPath: '.secureBoot',
      },
    ],
  },
);

export const guestAgent = object('The QEMU guest agent inside the machine.', {
  enabled: boolean('Whether the channel to the agent is there; IP addresses and quiescing need it.', { default: true }),
});

const deviceName = (description: string) => string(description, { minLength: 1, maxLength: 63 });
const resourceName = string('Extended resource of the node that provides the device, such as nvidia.com/TU104GL.', {
  minLength: 1,
  maxLength: 317,
});

const gpu = object(
  'One kind of GPU for the machine.',
  {
    name: deviceName('Name of the device inside the machine.'),
    deviceName: string('Device as nodes know it; heeded where it is the name of an extended resource.', {
      maxLength: 253,
    }),
    vendor: string(
      'Maker of the GPU: nvidia, amd, intel. Where no resourceName is given, nodes are asked for <vendor>.com/<model>, or <vendor>.com/gpu.',
      { maxLength: 63 },
    ),
    model: string('Model of the GPU, such as a100.', { maxLength: 63 }),
    count: integer('Number of such GPUs; one when left out.', { format: 'int32', minimum: 1, maximum: 16 }),
    virtualGPU: boolean('Whether a share of a GPU (mediated device) is enough.'),
    passthrough: boolean('Whether the machine gets the whole GPU to itself; so it is unless virtualGPU is set.'),
    resourceName,
  },
  {
    rules: [
      {
        rule: '!(has(self.virtualGPU) && self.virtualGPU && has(self.passthrough) && self.passthrough)',
        message: 'a GPU is either shared (virtualGPU) or passed through (passthrough), not both',
      },
    ],
  },
);

export const gpus = list('GPUs of the machine.', gpu, { maxItems: 16 });

const usbId = (description: string) => string(description, { pattern: '^[0-9a-fA-F]{4}$', maxLength: 4 });

const usbDevice = object(
  'One USB device of the node that is handed to the machine.',
  {
    name: required(deviceName('Name of the device inside the machine.')),
    vendorId: usbId('USB vendor id, four hexadecimal digits.'),
    productId: usbId('USB product id, four hexadecimal digits.'),
    resourceName,
  },
  {
    rules: [
      {
        rule: 'has(self.vendorId) == has(self.productId)',
        message: 'vendorId and productId are given together',
        reason: 'FieldValueRequired',
      },
      {
        rule: 'has(self.resourceName) || has(self.vendorId)',
        message: 'a USB device is named by vendorId and productId, or by resourceName',
        reason: 'FieldValueRequired',
      },
    ],
  },
);

export const usbDevices = list(
  'USB devices of the node that the machine gets, by resourceName: no runtime can look for ids yet, and a machine that asks for them is not started.',
  usbDevice,
  {
    keys: ['name'],
    maxItems: 16,
  },
);
