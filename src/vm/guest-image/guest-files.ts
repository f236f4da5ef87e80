import { constants, zstdCompressSync } from 'node:zlib';
import { type ArchiveEntry, cpioArchive } from './cpio.ts';
import { GUEST_SCRIPTS, GUEST_TEXTS } from './init-script.ts';
import type { KernelModule } from './module-order.ts';

/** zstd is expanded several times faster than gzip, which counts where a processor is emulated. */
const ZSTD_LEVEL = 12;

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
  'lib/',
  'lib64/',
  'modules/',
  'proc/',
  'root/',
  'sbin/',
  'sys/',
  'tmp/',
  'usr/',
  'usr/lib/',
  'usr/sbin/',
  'var/',
];

/** Programs of the guest beside BusyBox, by their path in a package. SSH finds the server of SFTP, for scp, by its path. */
export const GUEST_PROGRAMS: Readonly<Record<string, string>> = {
  'usr/sbin/dropbear': 'usr/sbin/dropbear',
  'usr/bin/dropbearkey': 'usr/sbin/dropbearkey',
  'usr/sbin/qemu-ga': 'usr/sbin/qemu-ga',
  'usr/lib/openssh/sftp-server': 'usr/lib/sftp-server',
};

/** Parts of the guest. */
export interface GuestParts {
  readonly busybox: Uint8Array;
  readonly modules: readonly KernelModule[];
  /** Programs by their path in the guest, and the libraries that they need by name. */
  readonly programs: Readonly<Record<string, Uint8Array>>;
  readonly libraries: Readonly<Record<string, Uint8Array>>;
}

/** Name of the library that loads all others, and the directory where programs look for it. */
const LOADER = 'ld-linux-x86-64.so.2';

/** Returns the root file system of the guest, compressed as the kernel reads it. */
export function guestInitramfs({ busybox, modules, programs, libraries }: GuestParts): Buffer {
  const order = modules.map(({ name }) => name).join('\n');
  const entries: ArchiveEntry[] = [
    ...DIRECTORIES.map((path) => ({ path })),
    { path: 'bin/busybox', mode: 0o755, data: busybox },
    { path: 'bin/sh', link: 'busybox' },
    ...filesOf(GUEST_SCRIPTS, 0o755),
    ...filesOf(GUEST_TEXTS, 0o644),
    ...Object.entries(programs).map(([path, data]) => ({ path, mode: 0o755, data })),
    ...Object.entries(libraries).map(([name, data]) => ({
      path: `${name === LOADER ? 'lib64' : 'lib'}/${name}`,
      mode: 0o755,
      data,
    })),
    { path: 'modules/order', data: Buffer.from(`${order}\n`) },
    ...modules.map(({ name, data }) => ({ path: `modules/${name}.ko`, data })),
  ];
  return zstdCompressSync(cpioArchive(entries), { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
}

function filesOf(texts: Readonly<Record<string, string>>, mode: number): ArchiveEntry[] {
  return Object.entries(texts).map(([path, text]) => ({ path, mode, data: Buffer.from(text) }));
}

/** Configuration of the boot loader. The kernel prints to the serial console and reports a panic to QEMU. */
export const GRUB_CONFIG = `set root=(hd0,msdos1)
linux /vmlinuz console=ttyS0 quiet panic=-1
initrd /initrd
boot
`;
