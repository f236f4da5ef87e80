import { directoriesOf, type IsoDirectory, type IsoFile, isoTree } from './iso-tree.ts';

const SECTOR = 2048;
/** The first sectors are unused, and are followed by two volume descriptors and the end of their list. */
const FIRST_SECTOR = 19;
/** Date of every file: images of the same files must be equal, so that a migration target can create it again. */
const DATE = Buffer.from([126, 1, 1, 0, 0, 0, 0]);

/** One of the two views of the files: the primary one with short names, and Joliet with the real ones. */
interface Hierarchy {
  readonly encode: (name: string) => Buffer;
  readonly volumeName: Buffer;
  readonly extents: ReadonlyMap<IsoDirectory, Extent>;
  readonly pathTables: readonly [little: number, big: number];
}

interface Extent {
  readonly sector: number;
  readonly bytes: number;
}

const shortName = (name: string) => Buffer.from(name.toUpperCase(), 'latin1');
const jolietName = (name: string) => Buffer.from(name, 'utf16le').swap16();

/** Longest name that fits into the record of a file, with two bytes a character and its version. */
const MAX_NAME = 108;

/** Reports whether every part of a path can be the name of a file or directory. */
export const isIsoName = (path: string) => path.split('/').every((name) => name !== '' && name.length <= MAX_NAME);

/** Returns an ISO 9660 image with Joliet names, the same bytes for the same files. */
export function isoImage(label: string, contents: Readonly<Record<string, Uint8Array>>): Buffer {
  const root = isoTree(contents);
  const allocator = new SectorAllocator(FIRST_SECTOR);
  const directories = directoriesOf(root);
  const files = new Map<IsoFile, Extent>();
  const views = [shortName, jolietName].map((encode): Hierarchy => {
    const extents = new Map(directories.map((each) => [each, allocator.take(directoryBytes(each, encode))]));
    const table = pathTable(directories, extents, encode, 'little').length;
    const pathTables = [allocator.take(table).sector, allocator.take(table).sector] as const;
    const volumeName = encode === shortName ? padTo(Buffer.from(label), 32, ' ') : padTo(jolietName(label), 32, '\0 ');
    return { encode, extents, pathTables, volumeName };
  });
  for (const file of directories.flatMap((each) => each.files)) files.set(file, allocator.take(file.data.length));
  const image = Buffer.alloc(allocator.next * SECTOR);
  views.forEach((view, at) => {
    volumeDescriptor(at === 0 ? 1 : 2, view, root, allocator.next).copy(image, (16 + at) * SECTOR);
    for (const each of directories) {
      directoryRecords(each, view, files).copy(image, (view.extents.get(each)?.sector ?? 0) * SECTOR);
    }
    (['little', 'big'] as const).forEach((order, which) => {
      pathTable(directories, view.extents, view.encode, order).copy(image, (view.pathTables[which] ?? 0) * SECTOR);
    });
  });
  Buffer.from([0xff, ...Buffer.from('CD001'), 1]).copy(image, 18 * SECTOR);
  for (const [file, { sector }] of files) Buffer.from(file.data).copy(image, sector * SECTOR);
  return image;
}

class SectorAllocator {
  next: number;

  constructor(first: number) {
    this.next = first;
  }

  take(bytes: number): Extent {
    const sector = this.next;
    this.next += Math.max(1, Math.ceil(bytes / SECTOR));
    return { sector, bytes };
  }
}

function volumeDescriptor(type: 1 | 2, view: Hierarchy, root: IsoDirectory, sectors: number): Buffer {
  const block = Buffer.alloc(SECTOR);
  block.set([type, ...Buffer.from('CD001'), 1]);
  const filler = type === 1 ? ' ' : '\0 ';
  padTo(Buffer.alloc(0), 32, filler).copy(block, 8);
  view.volumeName.copy(block, 40);
  bothEndian32(sectors).copy(block, 80);
  // The escape sequence that marks names as UCS-2, level 3.
  if (type === 2) block.set(Buffer.from('%/E'), 88);
  bothEndian16(1).copy(block, 120);
  bothEndian16(1).copy(block, 124);
  bothEndian16(SECTOR).copy(block, 128);
  const table = pathTable(directoriesOf(root), view.extents, view.encode, 'little').length;
  bothEndian32(table).copy(block, 132);
  block.writeUInt32LE(view.pathTables[0], 140);
  block.writeUInt32BE(view.pathTables[1], 148);
  directoryRecord(Buffer.from([0]), extentOf(view, root), true).copy(block, 156);
  padTo(Buffer.alloc(0), 623, filler).copy(block, 190);
  for (const offset of [813, 830, 847, 864]) Buffer.from(`${'0'.repeat(16)}\0`).copy(block, offset);
  block[881] = 1;
  return block;
}

/** Directories and files follow one another in the order of their names, as readers search for them. */
function entriesOf(directory: IsoDirectory, encode: Hierarchy['encode']) {
  const entries = [
    ...directory.directories.map((each) => ({ name: encode(each.name), directory: each, file: undefined })),
    ...directory.files.map((each) => ({ name: encode(`${each.name};1`), directory: undefined, file: each })),
  ];
  return entries.sort((a, b) => Buffer.compare(a.name, b.name));
}

const recordLength = (name: Buffer) => 33 + name.length + ((name.length + 1) % 2);

/** Records do not cross sectors, which counts for the size. */
function directoryBytes(directory: IsoDirectory, encode: Hierarchy['encode']): number {
  let at = 2 * 34;
  for (const { name } of entriesOf(directory, encode)) at = recordStart(at, recordLength(name)) + recordLength(name);
  return Math.ceil(at / SECTOR) * SECTOR;
}

function recordStart(at: number, length: number): number {
  const left = SECTOR - (at % SECTOR);
  return left < length ? at + left : at;
}

function directoryRecords(directory: IsoDirectory, view: Hierarchy, files: ReadonlyMap<IsoFile, Extent>): Buffer {
  const block = Buffer.alloc(extentOf(view, directory).bytes);
  directoryRecord(Buffer.from([0]), extentOf(view, directory), true).copy(block, 0);
  directoryRecord(Buffer.from([1]), extentOf(view, directory.parent ?? directory), true).copy(block, 34);
  let at = 2 * 34;
  for (const { name, directory: below, file } of entriesOf(directory, view.encode)) {
    const extent = below === undefined ? file && files.get(file) : extentOf(view, below);
    const record = directoryRecord(name, extent ?? { sector: 0, bytes: 0 }, below !== undefined);
    at = recordStart(at, record.length);
    record.copy(block, at);
    at += record.length;
  }
  return block;
}

function directoryRecord(name: Buffer, { sector, bytes }: Extent, isDirectory: boolean): Buffer {
  const record = Buffer.alloc(recordLength(name));
  record[0] = record.length;
  bothEndian32(sector).copy(record, 2);
  bothEndian32(bytes).copy(record, 10);
  DATE.copy(record, 18);
  record[25] = isDirectory ? 2 : 0;
  bothEndian16(1).copy(record, 28);
  record[32] = name.length;
  name.copy(record, 33);
  return record;
}

function pathTable(
  directories: readonly IsoDirectory[],
  extents: ReadonlyMap<IsoDirectory, Extent>,
  encode: Hierarchy['encode'],
  order: 'little' | 'big',
): Buffer {
  const records = directories.map((directory) => {
    const name = directory.parent === undefined ? Buffer.from([0]) : encode(directory.name);
    const record = Buffer.alloc(8 + name.length + (name.length % 2));
    const parent = directories.indexOf(directory.parent ?? directory) + 1;
    const sector = extents.get(directory)?.sector ?? 0;
    record[0] = name.length;
    if (order === 'little') record.writeUInt32LE(sector, 2);
    else record.writeUInt32BE(sector, 2);
    if (order === 'little') record.writeUInt16LE(parent, 6);
    else record.writeUInt16BE(parent, 6);
    name.copy(record, 8);
    return record;
  });
  return Buffer.concat(records);
}

function extentOf({ extents }: Hierarchy, directory: IsoDirectory): Extent {
  return extents.get(directory) ?? { sector: 0, bytes: 0 };
}

function padTo(text: Buffer, length: number, filler: string): Buffer {
  const block = Buffer.alloc(length, filler);
  text.copy(block);
  return block;
}

function bothEndian16(value: number): Buffer {
  const block = Buffer.alloc(4);
  block.writeUInt16LE(value, 0);
  block.writeUInt16BE(value, 2);
  return block;
}

function bothEndian32(value: number): Buffer {
  const block = Buffer.alloc(8);
  block.writeUInt32LE(value, 0);
  block.writeUInt32BE(value, 4);
  return block;
}
