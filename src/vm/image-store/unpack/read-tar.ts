import { rejectedImage } from '../image-error.ts';
import { ByteReader } from './byte-reader.ts';

/** Entry of an archive. */
export interface TarEntry {
  /** Path without leading slash or dot. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
  readonly bytes: number;
  /** Contents, which can be read until the next entry is requested. */
  readonly contents: AsyncIterable<Buffer>;
}

const BLOCK = 512;
const MAX_NAME_BYTES = 64 * 1024;
const MAX_ENTRIES = 100_000;
const TYPES: Readonly<Record<string, TarEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '5': 'directory',
  '1': 'link',
  '2': 'link',
};

/** Reads the entries of a tar archive (ustar, GNU and pax). What is not read of an entry is skipped. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void, undefined> {
  const reader = new ByteReader(chunks);
  let longName: string | undefined;
  let longSize: number | undefined;
  for (let count = 0; ; count++) {
    const header = await reader.read(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (header.length < BLOCK || !hasValidChecksum(header)) throw rejectedImage('a layer is not a tar archive');
    if (count > MAX_ENTRIES) throw rejectedImage('a layer has too many files');
    const type = String.fromCharCode(header[156] ?? 0);
    const size = longSize ?? numberIn(header, 124, 12);
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (type === 'L' || type === 'x' || type === 'g') {
      if (size > MAX_NAME_BYTES) throw rejectedImage('a layer has a name that is too long');
      const text = (await reader.read(size + padding)).toString('utf8', 0, size);
      if (type === 'L') longName = text.replace(/\0.*$/s, '');
      if (type === 'x') ({ path: longName = longName, size: longSize } = paxWords(text));
      continue;
    }
    let left = size;
    const contents = countedContents(reader, size, (bytes) => {
      left -= bytes;
    });
    yield { path: cleanPath(longName ?? nameIn(header)), type: TYPES[type] ?? 'other', bytes: size, contents };
    [longName, longSize] = [undefined, undefined];
    await reader.skip(left + padding);
  }
}

async function* countedContents(reader: ByteReader, size: number, onRead: (bytes: number) => void) {
  let missing = size;
  for await (const part of reader.stream(size)) {
    missing -= part.length;
    onRead(part.length);
    yield part;
  }
  if (missing > 0) throw rejectedImage('a layer ends within a file');
}

function cleanPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function nameIn(header: Buffer): string {
  const isPosix = header.toString('latin1', 257, 262) === 'ustar' && header[263] !== 0x20;
  const prefix = isPosix ? textIn(header, 345, 155) : '';
  const name = textIn(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textIn(header: Buffer, at: number, length: number): string {
  return header.toString('utf8', at, at + length).replace(/\0.*$/s, '');
}

/** Numbers are octal text, or binary if the first bit is set. */
function numberIn(header: Buffer, at: number, length: number): number {
  const isBinary = ((header[at] ?? 0) & 0x80) !== 0;
  const value = isBinary
    ? Number(header.readBigUInt64BE(at + length - 8))
    : Number.parseInt(textIn(header, at, length).trim() || '0', 8);
  if (!Number.isSafeInteger(value) || value < 0) throw rejectedImage('a layer has a file with an invalid size');
  return value;
}

function hasValidChecksum(header: Buffer): boolean {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  return sum === numberIn(header, 148, 8);
}

/** Parses records of the form `length name=value`. */
function paxWords(text: string): { readonly path?: string; readonly size?: number } {
  const path = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1];
  const size = /(?:^|\n)\d+ size=(\d+)\n/.exec(text)?.[1];
  return {
    ...(path === undefined ? {} : { path }),
    ...(size === undefined ? {} : { size: Number(size) }),
  };
}
