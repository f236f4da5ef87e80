/** Offsets in the header of qcow2, which is big-endian. */
const VERSION = 4;
const BACKING_OFFSET = 8;
const CLUSTER_BITS = 20;
const SIZE = 24;
const CRYPT_METHOD = 32;
const INCOMPATIBLE = 72;
const HEADER_LENGTH = 100;
const MIN_BYTES = 104;

/** Bits of incompatible features that can be read: dirty, corrupt, compression type, extended L2. */
const DATA_FILE = 1n << 2n;
const KNOWN_FEATURES = 0b0001_1011n;

/** Returns why a qcow2 image must not be opened, by its header alone, or undefined if nothing speaks against it. */
export function qcow2Problem(head: Buffer): string | undefined {
  if (head.length < MIN_BYTES) return 'its qcow2 header is incomplete';
  const version = head.readUInt32BE(VERSION);
  if (version !== 2 && version !== 3) return `its qcow2 version ${version} is unknown`;
  if (head.readBigUInt64BE(BACKING_OFFSET) !== 0n) return 'it has a backing file';
  if (head.readUInt32BE(CRYPT_METHOD) !== 0) return 'it is encrypted';
  const clusterBits = head.readUInt32BE(CLUSTER_BITS);
  if (clusterBits < 9 || clusterBits > 21) return `its qcow2 header is broken (cluster bits ${clusterBits})`;
  if (version === 2) return undefined;
  if (head.readUInt32BE(HEADER_LENGTH) < MIN_BYTES) return 'its qcow2 header is broken (header length)';
  const features = head.readBigUInt64BE(INCOMPATIBLE);
  if ((features & DATA_FILE) !== 0n) return 'it has an external data file';
  return (features & ~KNOWN_FEATURES) === 0n ? undefined : 'it uses unknown features of qcow2';
}

/** Returns the size of the disk in a qcow2 image. */
export function qcow2Size(head: Buffer): bigint {
  return head.readBigUInt64BE(SIZE);
}
