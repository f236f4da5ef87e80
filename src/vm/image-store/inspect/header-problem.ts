import type { ImageFormat } from './image-format.ts';
import { qcow2Problem } from './qcow2-header.ts';

/** Kinds of VDI images that stand for themselves: dynamic and fixed. */
const VDI_TYPES: ReadonlySet<number> = new Set([1, 2]);
const VDI_TYPE = 0x4c;
/** Capacity of a sparse VMDK in sectors. Without it, QEMU reads a descriptor that names other files. */
const VMDK_CAPACITY = 12;

/** Returns why an image must not be opened, by its first bytes alone, or undefined if nothing speaks against it. */
export function headerProblem(format: ImageFormat, head: Buffer): string | undefined {
  switch (format) {
    case 'qcow2':
      return qcow2Problem(head);
    case 'vdi':
      if (head.length < VDI_TYPE + 4) return 'its VDI header is incomplete';
      return VDI_TYPES.has(head.readUInt32LE(VDI_TYPE)) ? undefined : 'it has a backing file (VDI of differences)';
    case 'vmdk':
      if (head.length < VMDK_CAPACITY + 8) return 'its VMDK header is incomplete';
      return head.readBigUInt64LE(VMDK_CAPACITY) === 0n ? 'it refers to other files' : undefined;
    case 'vhdx':
    case 'raw':
      return undefined;
  }
}
