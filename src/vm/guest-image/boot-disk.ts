const SECTOR = 512;
/** First sector of the partition, which leaves a MiB for the boot loader, as partitioning tools do. */
const PARTITION_START = 2048;
const PARTITION_TABLE = 446;
const LINUX = 0x83;

export interface BootLoader {
  /** GRUB's boot.img: the code of the master boot record, which loads the sector that follows it. */
  readonly boot: Uint8Array;
  /** GRUB's core.img, which begins with code that loads the rest of itself from the sectors after it. */
  readonly core: Uint8Array;
}

/**
 * Returns a raw disk that a BIOS boots: GRUB in front of one active partition. GRUB also reads archives, so that the
 * partition needs no file system and the disk can be written without root permissions.
 */
export function bootDisk({ boot, core }: BootLoader, partition: Uint8Array): Buffer {
  if (core.length > (PARTITION_START - 1) * SECTOR) throw new RangeError('the boot loader does not fit');
  const sectors = Math.ceil(partition.length / SECTOR);
  // Firmware reads disks by cylinders of a MiB.
  const disk = Buffer.alloc(Math.ceil((PARTITION_START + sectors) / PARTITION_START + 1) * PARTITION_START * SECTOR);
  disk.set(boot.subarray(0, PARTITION_TABLE));
  disk.set(core, SECTOR);
  disk.set(partition, PARTITION_START * SECTOR);
  disk.set([0x80, 0xfe, 0xff, 0xff, LINUX, 0xfe, 0xff, 0xff], PARTITION_TABLE);
  disk.writeUInt32LE(PARTITION_START, PARTITION_TABLE + 8);
  disk.writeUInt32LE(sectors, PARTITION_TABLE + 12);
  disk.set([0x55, 0xaa], SECTOR - 2);
  return disk;
}
