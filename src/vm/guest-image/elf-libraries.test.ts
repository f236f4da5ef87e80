import { describe, expect, it } from 'vitest';
import { libraryClosure, neededLibraries } from './elf-libraries.ts';

/** Builds the parts of a library that name others: two program headers, a dynamic section and its strings. */
function library(...needed: readonly string[]): Buffer {
  const file = Buffer.alloc(1024);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(2, 56);
  // The whole file is loaded at an address that differs from its offset.
  segment(file, 64, { type: 1, offset: 0, address: 0x4000, size: file.length });
  segment(file, 120, { type: 2, offset: 256, address: 0x4100, size: (needed.length + 1) * 16 });
  let at = 512;
  for (const [index, name] of needed.entries()) {
    file.writeBigUInt64LE(1n, 256 + index * 16);
    file.writeBigUInt64LE(BigInt(at - 512), 264 + index * 16);
    file.write(name, at);
    at += name.length + 1;
  }
  file.writeBigUInt64LE(5n, 256 + needed.length * 16);
  file.writeBigUInt64LE(0x4200n, 264 + needed.length * 16);
  return file;
}

function segment(file: Buffer, at: number, given: Record<'type' | 'offset' | 'address' | 'size', number>): void {
  file.writeUInt32LE(given.type, at);
  file.writeBigUInt64LE(BigInt(given.offset), at + 8);
  file.writeBigUInt64LE(BigInt(given.address), at + 16);
  file.writeBigUInt64LE(BigInt(given.size), at + 32);
}

const LIBRARIES = new Map([
  ['libc.so.6', library('ld.so')],
  ['ld.so', library()],
  ['libglib.so', library('libc.so.6', 'libpcre.so')],
  ['libpcre.so', library('libc.so.6')],
]);

describe('the libraries of a program', () => {
  it('are those that it names', () => {
    expect(neededLibraries(library('libc.so.6', 'libm.so.6'))).toEqual(['libc.so.6', 'libm.so.6']);
  });

  it('include those that libraries need, each once', () => {
    const find = (name: string) => LIBRARIES.get(name);
    const programs = [library('libglib.so'), library('libc.so.6')];
    expect(libraryClosure(programs, find)).toEqual(['ld.so', 'libc.so.6', 'libglib.so', 'libpcre.so']);
  });

  it('must all be in a package', () => {
    expect(() => libraryClosure([library('libnone.so')], () => undefined)).toThrow(
      'no package has the library libnone.so',
    );
  });
});
