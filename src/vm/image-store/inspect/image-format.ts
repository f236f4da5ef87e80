/** Formats of disk images that can be read. */
export const IMAGE_FORMATS = ['qcow2', 'raw', 'vmdk', 'vdi', 'vhdx'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** Compression of a whole file. */
export type Compression = 'gzip' | 'xz' | 'zstd';

/** Bytes at the beginning of a file that suffice to tell its format. */
export const FORMAT_BYTES = 70_000;

interface Magic {
  readonly at: number;
  readonly bytes: string;
}

const COMPRESSIONS: Readonly<Record<Compression, Magic>> = {
  gzip: { at: 0, bytes: '\x1f\x8b\x08' },
  xz: { at: 0, bytes: '\xfd7zXZ\0' },
  zstd: { at: 0, bytes: '\x28\xb5\x2f\xfd' },
};

const IMAGES: Readonly<Record<Exclude<ImageFormat, 'raw'>, Magic>> = {
  qcow2: { at: 0, bytes: 'QFI\xfb' },
  vmdk: { at: 0, bytes: 'KDMV' },
  vdi: { at: 64, bytes: '\x7f\x10\xda\xbe' },
  vhdx: { at: 0, bytes: 'vhdxfile' },
};

/** Signatures of what a raw disk begins with: boot records, CD-ROMs and file systems. */
const RAW: readonly Magic[] = [
  { at: 510, bytes: '\x55\xaa' },
  { at: 512, bytes: 'EFI PART' },
  { at: 32_769, bytes: 'CD001' },
  { at: 1080, bytes: '\x53\xef' },
  { at: 0, bytes: 'XFSB' },
  { at: 65_600, bytes: '_BHRfS_M' },
];

/** Formats that QEMU knows and that are not read here. Their contents must not pass as raw disks either. */
const OTHERS: Readonly<Record<string, Magic>> = {
  'a VMDK descriptor, which refers to other files': { at: 0, bytes: '# Disk DescriptorFile' },
  'VMDK version 3': { at: 0, bytes: 'COWD' },
  vhd: { at: 0, bytes: 'conectix' },
  qed: { at: 0, bytes: 'QED\0' },
  parallels: { at: 0, bytes: 'WithoutFreeSpace' },
  'parallels (extended)': { at: 0, bytes: 'WithouFreSpacExt' },
  luks: { at: 0, bytes: 'LUKS\xba\xbe' },
  bochs: { at: 0, bytes: 'Bochs Virtual HD Image' },
};

function has(head: Buffer, { at, bytes }: Magic): boolean {
  return head.toString('latin1', at, at + bytes.length) === bytes;
}

/** Returns how a file is compressed, or undefined if it is not. */
export function compressionOf(head: Buffer): Compression | undefined {
  return (Object.keys(COMPRESSIONS) as Compression[]).find((name) => has(head, COMPRESSIONS[name]));
}

/**
 * Returns the format of an image by its first bytes. A file without a known signature is not taken for a raw disk: it
 * is rather the error page of a web server.
 */
export function formatOf(head: Buffer): { readonly format: ImageFormat } | { readonly unknown: string } {
  const known = (Object.keys(IMAGES) as (keyof typeof IMAGES)[]).find((name) => has(head, IMAGES[name]));
  if (known !== undefined) return { format: known };
  const other = Object.keys(OTHERS).find((name) => has(head, OTHERS[name] as Magic));
  if (other !== undefined) return { unknown: other };
  if (RAW.some((magic) => has(head, magic))) return { format: 'raw' };
  return { unknown: 'unknown: neither an image nor a disk with a boot record or a file system' };
}
