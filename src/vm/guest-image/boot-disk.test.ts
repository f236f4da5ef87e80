import { expect, it } from 'vitest';
import { bootDisk } from './boot-disk.ts';
import { tarArchive } from './tar.ts';

const loader = { boot: Buffer.alloc(512, 0xb0), core: Buffer.alloc(1024, 0xc0) };

it('puts the boot loader in front of one active partition', () => {
  const partition = Buffer.from('contents');
  const disk = bootDisk(loader, partition);
  expect(disk.length % (1 << 20)).toBe(0);
  expect(disk.subarray(510, 512)).toEqual(Buffer.from([0x55, 0xaa]));
  expect(disk[0]).toBe(0xb0);
  expect(disk[446]).toBe(0x80);
  expect(disk[512]).toBe(0xc0);
  const start = disk.readUInt32LE(446 + 8);
  expect(disk.toString('utf8', start * 512, start * 512 + partition.length)).toBe('contents');
  expect(disk.readUInt32LE(446 + 12)).toBe(1);
});

it('rejects a boot loader that would overwrite the partition', () => {
  expect(() => bootDisk({ ...loader, core: Buffer.alloc(1 << 20) }, Buffer.alloc(1))).toThrow('does not fit');
});

it('writes archives whose headers have a valid checksum', () => {
  const archive = tarArchive([{ path: 'vmlinuz', data: Buffer.alloc(513, 1) }]);
  expect(archive.length).toBe(512 + 1024 + 1024);
  const header = Buffer.from(archive.subarray(0, 512));
  const stated = Number.parseInt(header.toString('latin1', 148, 154), 8);
  header.fill(' ', 148, 156);
  expect(header.reduce((sum, byte) => sum + byte, 0)).toBe(stated);
  expect(Number.parseInt(header.toString('latin1', 124, 135), 8)).toBe(513);
});
