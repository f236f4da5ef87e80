import { boolean, integer, object, string } from '#platform/schema/schema';
import { kubevirtObject } from './upstream.ts';

export const machine = object('Emulated machine.', {
  type: string("Machine type, such as q35, pc or a version of one. Defaults to the node's default (q35)."),
});

export const firmware = kubevirtObject('Firmware', 'Firmware of the VM.', {
  uuid: string('UUID that the guest reads from its firmware. By default derived from the name of the VM.'),
  serial: string('Serial number that the guest reads from its firmware.', {
    maxLength: 256,
    pattern: '^[A-Za-z0-9_.+-]*$',
  }),
  bootloader: object(
    'BIOS or UEFI. Defaults to BIOS.',
    {
      bios: object('Starts with BIOS.', {
        useSerial: boolean('Sends the messages of the BIOS to the serial console.'),
      }),
      efi: object('Starts with UEFI.', {
        secureBoot: boolean('Runs only signed boot loaders. Defaults to true, and requires features.smm.'),
        persistent: boolean('Keeps the UEFI variables across restarts.'),
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

const enabled = boolean('Whether the feature is on. Defaults to true.');

export const features = kubevirtObject('Features', 'Features of the machine and the hypervisor.', {
  acpi: object('Advanced power management tables; a guest without them cannot shut down on request.', { enabled }),
  smm: object('System management mode, which UEFI secure boot needs.', { enabled }),
  kvm: object('Visibility of KVM.', {
    hidden: boolean('Hides KVM from the guest, which some graphics drivers require.'),
  }),
});

export const clock = kubevirtObject('Clock', 'The clock of the VM. Defaults to UTC.', {
  utc: object('The clock shows UTC.', {
    offsetSeconds: integer('Seconds that are added to UTC at every start.', { format: 'int32' }),
  }),
  timezone: string('The clock shows the local time of this zone, such as Europe/Berlin.'),
});
