const LOAD = 1;
const DYNAMIC = 2;
const NEEDED = 1n;
const STRING_TABLE = 5n;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

/** Returns the names of the shared libraries that a program or library for x86-64 states to need. */
export function neededLibraries(file: Buffer): string[] {
  const segments = segmentsOf(file);
  const dynamic = segments.find(({ type }) => type === DYNAMIC);
  if (dynamic === undefined) return [];
  const entries = Array.from({ length: dynamic.size / 16 }, (_, at) => {
    const start = dynamic.offset + at * 16;
    return { tag: file.readBigUInt64LE(start), value: Number(file.readBigUInt64LE(start + 8)) };
  });
  const address = entries.find(({ tag }) => tag === STRING_TABLE)?.value ?? 0;
  const strings = offsetOf(address, segments);
  return entries.flatMap(({ tag, value }) => (tag === NEEDED ? [textAt(file, strings + value)] : []));
}

/**
 * Returns the names of all libraries that programs need, directly or not. `find` returns a file by its name; a program
 * that is incomplete would only fail in the guest.
 */
export function libraryClosure(programs: readonly Buffer[], find: (name: string) => Buffer | undefined): string[] {
  const names = new Set<string>();
  const pending = programs.flatMap(neededLibraries);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (names.has(name)) continue;
    const library = find(name);
    if (library === undefined) throw new RangeError(`no package has the library ${name}`);
    names.add(name);
    pending.push(...neededLibraries(library));
  }
  return [...names].sort();
}

function segmentsOf(file: Buffer): Segment[] {
  const start = Number(file.readBigUInt64LE(32));
  const [size, count] = [file.readUInt16LE(54), file.readUInt16LE(56)];
  return Array.from({ length: count }, (_, at) => {
    const header = start + at * size;
    return {
      type: file.readUInt32LE(header),
      offset: Number(file.readBigUInt64LE(header + 8)),
      address: Number(file.readBigUInt64LE(header + 16)),
      size: Number(file.readBigUInt64LE(header + 32)),
    };
  });
}

function offsetOf(address: number, segments: readonly Segment[]): number {
  const found = segments.find(
    (each) => each.type === LOAD && each.address <= address && address < each.address + each.size,
  );
  return found === undefined ? address : found.offset + address - found.address;
}

const textAt = (file: Buffer, start: number) => file.toString('latin1', start, file.indexOf(0, start));
