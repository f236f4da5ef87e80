import { boolean, choice, integer, list, object, requiredField, string } from '#platform/schema/schema';

export const machineType = choice('Chipset that QEMU emulates.', ['q35', 'pc'], { default: 'q35' });

export const hypersdkFirmware = object(
  'How the VM boots.',
  {
    bootloader: choice('Firmware of the VM.', ['bios', 'uefi'], { default: 'bios' }),
    secureBoot: boolean('Whether only signed boot loaders may start. Requires bootloader uefi.', { default: false }),
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

export const guestAgent = object('The QEMU guest agent inside the VM.', {
  enabled: boolean('Whether the VM has a channel to the guest agent. IP addresses and quiescing need it.', {
    default: true,
  }),
});

const deviceName = (description: string) => string(description, { minLength: 1, maxLength: 63 });
const resourceName = string('Extended resource of the node that provides the device, such as nvidia.com/TU104GL.', {
  minLength: 1,
  maxLength: 317,
});

const gpu = object(
  'One type of GPU for the VM.',
  {
    name: deviceName('Name of the device inside the VM.'),
    deviceName: string('Device name. Used if it is the name of an extended resource.', {
      maxLength: 253,
    }),
    vendor: string(
      'GPU vendor: nvidia, amd, intel. Without resourceName, the VM requests <vendor>.com/<model> or <vendor>.com/gpu.',
      { maxLength: 63 },
    ),
    model: string('Model of the GPU, such as a100.', { maxLength: 63 }),
    count: integer('Number of such GPUs. Defaults to 1.', { format: 'int32', minimum: 1, maximum: 16 }),
    virtualGPU: boolean('Whether a virtual GPU (mediated device) is enough.'),
    passthrough: boolean('Whether the VM gets the whole GPU. Defaults to true unless virtualGPU is set.'),
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

export const gpus = list('GPUs of the VM.', gpu, { maxItems: 16 });

const usbId = (description: string) => string(description, { pattern: '^[0-9a-fA-F]{4}$', maxLength: 4 });

const usbDevice = object(
  'A USB device of the node that is passed through to the VM.',
  {
    name: requiredField(deviceName('Name of the device inside the VM.')),
    vendorId: usbId('USB vendor id, four hexadecimal digits.'),
    productId: usbId('USB product id, four hexadecimal digits.'),
    resourceName,
  },
  {
    rules: [
      {
        rule: 'has(self.vendorId) == has(self.productId)',
        message: 'vendorId and productId must be set together',
        reason: 'FieldValueRequired',
      },
      {
        rule: 'has(self.resourceName) || has(self.vendorId)',
        message: 'a USB device needs vendorId and productId, or resourceName',
        reason: 'FieldValueRequired',
      },
    ],
  },
);

export const usbDevices = list(
  'USB devices of the node that the VM gets, by resourceName. Selection by ids is not supported yet: a VM that uses them is not started.',
  usbDevice,
  {
    keys: ['name'],
    maxItems: 16,
  },
);
