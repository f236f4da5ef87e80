/**
 * Boot sector that shows whether an accelerator runs guests. It calls the BIOS for disk parameters as Linux does, counts
 * to two million in real mode, enters long mode with paging, executes CPUID ten thousand times and writes 0x10 to port
 * 0xf4, at which isa-debug-exit ends QEMU. Hardware needs milliseconds for it, and software that pretends to be KVM
 * many seconds.
 */
const CODE = [
  'fa31c08ed88ec08ed0bc007cb441bbaa55b280cd13b448b280be0080c7044200cd1366b980841e00664975fcbf001066',
  '31c0b90030fcf3aac70600100320c70600200330c706003083000f20e06683c8200f22e066b8001000000f22d866b980',
  '0000c00f32660d000100000f300f20c0660d010000800f22c0660f0116b07c66ea877c00000800be1027000031c00fa2',
  'ffce75f866baf400b010eef4ebfd6690000000000000000000000000009a20000f00a07c',
].join('');

/** Port of isa-debug-exit, and the exit status of QEMU after the write. */
export const EXIT_PORT = 0xf4;
export const BOOTED_STATUS = (0x10 << 1) | 1;

export function bootSector(): Buffer {
  const sector = Buffer.alloc(512);
  Buffer.from(CODE, 'hex').copy(sector);
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}
