import { gzipSync } from 'node:zlib';
import { type ArchiveEntry, cpioArchive } from './cpio.ts';
import { GUEST_SCRIPTS } from './init-script.ts';
import type { KernelModule } from './module-order.ts';

/** Modules of the guest: virtio devices, ISO 9660 seeds, the power button, and the report of a panic. */
export const GUEST_MODULES = [
  'virtio_pci',
  'virtio_blk',
  'virtio_net',
  'virtio_console',
  'virtio-rng',
  'virtio_balloon',
  'isofs',
  'button',
  'evdev',
  'pvpanic-pci',
] as const;

const DIRECTORIES = [
  'bin/',
  'dev/',
  'etc/',
  'etc/acpi/',
  'etc/acpi/PWRF/',
  'modules/',
  'proc/',
  'root/',
  'sys/',
  'tmp/',
];

/** Returns the root file system of the guest, compressed as the kernel reads it. */
export function guestInitramfs(busybox: Uint8Array, modules: readonly KernelModule[]): Buffer {
  const order = modules.map(({ name }) => name).join('\n');
  const entries: ArchiveEntry[] = [
    ...DIRECTORIES.map((path) => ({ path })),
    { path: 'bin/busybox', mode: 0o755, data: busybox },
    { path: 'bin/sh', link: 'busybox' },
    ...Object.entries(GUEST_SCRIPTS).map(([path, text]) => ({ path, mode: 0o755, data: Buffer.from(text) })),
    { path: 'modules/order', data: Buffer.from(`${order}\n`) },
    ...modules.map(({ name, data }) => ({ path: `modules/${name}.ko`, data })),
  ];
  return gzipSync(cpioArchive(entries), { level: 9 });
}

/** Configuration of the boot loader. The kernel prints to the serial console and reports a panic to QEMU. */
export const GRUB_CONFIG = `set root=(hd0,msdos1)
linux /vmlinuz console=ttyS0 quiet panic=-1
initrd /initrd
boot
`;
