import { spawnSync } from 'node:child_process';
import { openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { diskContents, qemuImg } from './image-store.ts';

const MIB = 2 ** 20;

/** Hostile images by name, with what must be said about them. */
export type HostileImages = Readonly<Record<string, { readonly content: Buffer; readonly problem: string }>>;

/** Creates images that try to make a reader open `canary`, a file of the host, or use up its resources. */
export function hostileImages(directory: string, canary: string): HostileImages {
  const at = (name: string) => join(directory, name);
  const made = (name: string, ...args: string[]) => {
    qemuImg('create', '-q', ...args.map((arg) => (arg === '@' ? at(name) : arg)));
    return readFileSync(at(name));
  };
  const good = made('good.qcow2', '-f', 'qcow2', '@', '1M');
  return {
    'backing file': {
      content: made('backing', '-f', 'qcow2', '-b', canary, '-F', 'raw', '@'),
      problem: 'it has a backing file',
    },
    'backing file in JSON': {
      content: withBackingFile(good, `json:{"driver":"file","filename":"${canary}"}`),
      problem: 'it has a backing file',
    },
    'backing file on the network': {
      content: withBackingFile(good, 'nbd://127.0.0.1:10809/x'),
      problem: 'it has a backing file',
    },
    'data file': {
      content: made('data', '-f', 'qcow2', '-o', `data_file=${at('data.raw')}`, '@', '1M'),
      problem: 'it has an external data file',
    },
    'VMDK descriptor': { content: vmdkDescriptor(canary), problem: 'a VMDK descriptor' },
    'VMDK with embedded descriptor': {
      content: sparseVmdk(vmdkDescriptor(canary)),
      problem: 'it refers to other files',
    },
    'VMDK with parent': { content: vmdkWithParent(directory, canary), problem: 'backing file' },
    'VDI of differences': {
      content: patched(made('vdi', '-f', 'vdi', '@', '1M'), 0x4c, [4, 0, 0, 0]),
      problem: 'it has a backing file',
    },
    'huge qcow2': { content: made('huge', '-f', 'qcow2', '@', '60T'), problem: 'its virtual size of' },
    'huge VHDX': { content: made('huge.vhdx', '-f', 'vhdx', '@', '4T'), problem: 'its virtual size of' },
    'short header': { content: good.subarray(0, 50), problem: 'its qcow2 header is incomplete' },
    'broken header': { content: patched(good, 20, [0, 0, 0, 63]), problem: 'its qcow2 header is broken' },
    'broken tables': {
      content: patched(
        good,
        40,
        Array.from({ length: 8 }, () => 0xff),
      ),
      problem: 'qemu-img cannot open it',
    },
    'unknown version': { content: patched(good, 4, [0, 0, 0, 9]), problem: 'its qcow2 version 9 is unknown' },
    'empty VHDX': {
      content: Buffer.concat([Buffer.from('vhdxfile'), Buffer.alloc(MIB)]),
      problem: 'qemu-img cannot open it',
    },
    'error page': { content: Buffer.from('<html>404</html>'), problem: 'its format is unknown' },
    'gzip bomb': { content: gzipSync(Buffer.alloc(80 * MIB)), problem: 'it unpacks to more than' },
    'xz bomb': { content: compressed('xz', Buffer.alloc(80 * MIB)), problem: 'it unpacks to more than' },
    'qcow2 bomb': { content: qcow2Bomb(directory), problem: 'qemu-img cannot convert it' },
    'broken gzip': { content: gzipSync(diskContents('x')).subarray(0, 500), problem: 'its gzip compression is broken' },
    'broken xz': {
      content: compressed('xz', diskContents('x')).subarray(0, 200),
      problem: 'its xz compression is broken',
    },
  };
}

function patched(image: Buffer, at: number, bytes: readonly number[]): Buffer {
  const copy = Buffer.from(image);
  copy.set(bytes, at);
  return copy;
}

/** Writes the name of a backing file into a header, as qemu-img would not for a file that it cannot open. */
function withBackingFile(image: Buffer, name: string): Buffer {
  const copy = Buffer.from(image);
  copy.writeBigUInt64BE(1024n, 8);
  copy.writeUInt32BE(name.length, 16);
  copy.write(name, 1024);
  return copy;
}

const vmdkDescriptor = (file: string) =>
  Buffer.from(
    `# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\ncreateType="monolithicFlat"\n\nRW 8 FLAT "${file}" 0\n`,
  );

/** A sparse VMDK without capacity, which QEMU reads the descriptor of, and opens what that names. */
function sparseVmdk(descriptor: Buffer): Buffer {
  const image = Buffer.alloc(64 * 1024);
  image.write('KDMV');
  image.writeUInt32LE(1, 4);
  image.writeBigUInt64LE(1n, 28);
  image.writeBigUInt64LE(20n, 36);
  descriptor.copy(image, 512);
  return image;
}

function vmdkWithParent(directory: string, canary: string): Buffer {
  const [parent, child] = [join(directory, 'parent.vmdk'), join(directory, 'child.vmdk')];
  qemuImg('create', '-q', '-f', 'vmdk', parent, '1M');
  qemuImg('create', '-q', '-f', 'vmdk', '-b', parent, '-F', 'vmdk', child);
  const image = readFileSync(child);
  const at = image.indexOf(parent);
  image.fill(0x20, at, at + parent.length);
  image.write(`${canary}"`.slice(0, parent.length), at);
  return image;
}

/** A small file of compressed clusters, which become large when they are converted. */
function qcow2Bomb(directory: string): Buffer {
  const [raw, bomb] = [join(directory, 'bomb.raw'), join(directory, 'bomb.qcow2')];
  const file = openSync(raw, 'w');
  for (let i = 0; i < 80; i++) writeSync(file, Buffer.alloc(MIB, 'A'));
  qemuImg('convert', '-f', 'raw', '-c', '-O', 'qcow2', raw, bomb);
  return readFileSync(bomb);
}

function compressed(program: 'xz', content: Buffer): Buffer {
  return spawnSync(program, ['-c', '-1'], { input: content, maxBuffer: 256 * MIB }).stdout;
}

/** Writes hostile images to files, and returns their paths by name. */
export function writeHostileImages(directory: string, images: HostileImages): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(images).map(([name, { content }]) => {
      const path = join(directory, `${name.replaceAll(' ', '-')}.img`);
      writeFileSync(path, content);
      return [name, path];
    }),
  );
}
