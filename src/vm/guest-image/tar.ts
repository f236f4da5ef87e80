import type { ArchiveEntry } from './cpio.ts';

const BLOCK = 512;

/** Returns a tar archive of regular files, the same bytes for the same entries. Paths have at most 100 bytes. */
export function tarArchive(entries: readonly ArchiveEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(tarEntry), Buffer.alloc(2 * BLOCK)]);
}

function tarEntry({ path, mode = 0o644, data = new Uint8Array() }: ArchiveEntry): Buffer[] {
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 100);
  header.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  header.write(`${octal(data.length, 11)}\0${octal(0, 11)}\0`, 124);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return [header, Buffer.from(data), Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)];
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
