import { boolean, integer, object, string } from '#platform/schema/schema';
import { kubevirtObject } from './upstream.ts';

export const machine = object('The board that is emulated.', {
  type: string("Machine type, such as q35, pc or a version of one; the node's default (q35) when left out."),
});

export const firmware = kubevirtObject('Firmware', 'How the machine starts before its operating system does.', {
  uuid: string('UUID that the guest finds in its firmware; derived from the name of the machine when left out.'),
  serial: string('Serial number that the guest finds in its firmware.', {
    maxLength: 256,
    pattern: '^[A-Za-z0-9_.+-]*$',
  }),
  bootloader: object(
    'BIOS or UEFI; BIOS when left out.',
    {
      bios: object('Starts with BIOS.', {
        useSerial: boolean('Sends the messages of the BIOS to the serial console.'),
      }),
      efi: object('Starts with UEFI.', {
        secureBoot: boolean('Runs signed boot loaders only; true when left out, and needs features.smm.'),
        persistent: boolean('Keeps the UEFI variables over restarts.'),
      }),
    },
    {
      rules: [
        {
          rule: '!(has(self.bios) && has(self.efi))',
          message: 'EFI and BIOS are mutually exclusive',
          reason: 'FieldValueInvalid',
        },
      ],
    },
  ),
});

const enabled = boolean('Whether the feature is on; true when left out.');

export const features = kubevirtObject('Features', 'Features of the board and of the hypervisor.', {
  acpi: object('Advanced power management tables; a guest without them cannot be asked to shut down.', { enabled }),
  smm: object('System management mode, which UEFI secure boot needs.', { enabled }),
  kvm: object('How far KVM shows itself.', {
    hidden: boolean('Hides KVM from the guest, which some graphics drivers want.'),
  }),
});

export const clock = kubevirtObject('Clock', 'The clock of the machine; UTC when left out.', {
  utc: object('The clock shows UTC.', {
    offsetSeconds: integer('Seconds that are added to UTC at every start.', { format: 'int32' }),
  }),
  timezone: string('The clock shows the local time of this zone, such as Europe/Berlin.'),
});
