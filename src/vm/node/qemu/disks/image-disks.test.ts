import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPrograms } from '#testing/programs';
import { ImageError } from '#vm/image-store/image-error';
import type { ImageRequest } from '#vm/image-store/image-request';
import { type BaseImage, ImagePullingError } from '#vm/image-store/image-store';
import type { ClaimInfo } from '../../claim-reader.ts';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import { ClaimFiles } from './claim-files.ts';
import { ImageDisks } from './image-disks.ts';
import { prepareDisks, requireDisks } from './prepare-disks.ts';

const isReady = hasPrograms('disks of real VMs', 'qemu-img');
const MIB = 2 ** 20;

let root: string;
let machine: string;
let requests: ImageRequest[];
/** Images by name, or the error that requesting them leads to. */
let images: Record<string, BaseImage | Error>;
let claims: Record<string, ClaimInfo>;
let available: number;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vimana-disks-'));
  machine = join(root, 'machine');
  mkdirSync(machine);
  mkdirSync(join(root, 'host'));
  writeFileSync(join(root, 'base'), Buffer.alloc(MIB, 'b'));
  images = { debian: { path: join(root, 'base'), format: 'raw', id: 'sha256-1' } };
  [requests, claims, available] = [[], {}, 2 ** 40];
});
afterEach(() => rmSync(root, { recursive: true }));

const diskOf = (name: string, volume: object) =>
  ({ name, target: 'disk', bus: 'virtio', readonly: false, volume: { name, ...volume } }) as MachineDisk;
const specOf = (...disks: MachineDisk[]) =>
  ({
    id: 'u',
    name: 'web',
    namespace: 'shop',
    disks,
    annotations: { 'vimana.io/image-secret': 'keys' },
  }) as unknown as MachineSpec;
const containerDisk = (image: string, more: object = {}) => diskOf(image, { containerDisk: { image, ...more } });
const claimDisk = (claimName: string, more: object = {}) =>
  diskOf(claimName, { persistentVolumeClaim: { claimName, ...more } });
const hostDisk = (path: string, more: object = { type: 'Disk' }) => diskOf('host', { hostDisk: { path, ...more } });

function sources() {
  const store = {
    async require(request: ImageRequest) {
      requests.push(request);
      const found = images[request.image];
      if (found === undefined || found instanceof Error) throw found ?? new Error('no such image');
      return found;
    },
  };
  const secrets = { read: async () => undefined };
  const files = new ClaimFiles(join(root, 'claims'));
  const reader = { read: async (namespace: string, name: string) => claims[`${namespace}/${name}`] };
  const disks = new ImageDisks({
    ...{ store, secrets, claims: reader, files },
    hostDirectories: [join(root, 'host')],
    availableBytes: async () => available,
  });
  const objects = { read: async () => undefined, waitForChange: async () => undefined };
  return { images: disks, objects, files };
}

async function prepare(...disks: MachineDisk[]) {
  const spec = specOf(...disks);
  const from = sources();
  await requireDisks(spec, from);
  return await prepareDisks(spec, machine, from);
}

describe.skipIf(!isReady)('the disk of a container image', () => {
  it('is an overlay over the image, which is linked beside it', async () => {
    expect(
      await prepare(containerDisk('debian', { path: '/disk/x', imagePullPolicy: 'Never', imagePullSecret: 'pull' })),
    ).toEqual([{ name: 'debian', file: 'disk0.qcow2', format: 'qcow2', readonly: false }]);
    expect(requests[0]).toEqual({
      image: 'debian',
      namespace: 'shop',
      path: '/disk/x',
      pullPolicy: 'Never',
      secret: 'pull',
    });
    expect(statSync(join(root, 'base')).nlink).toBe(2);
    const header = readFileSync(join(machine, 'disk0.qcow2'));
    expect(header.toString('latin1', Number(header.readBigUInt64BE(8))).slice(0, 12)).toBe('sha256-1.raw');
  });

  it('waits for all images that are being pulled, and reports what has failed first', async () => {
    images = { a: new ImagePullingError('a', { phase: 'Downloading', bytes: 3 * MIB, totalBytes: 9 * MIB }) };
    await expect(prepare(containerDisk('a'))).rejects.toMatchObject({
      reason: 'PullingImage',
      what: 'image a',
      message: 'pulling image a: Downloading 3 of 9 MiB',
    });
    images['b'] = new ImageError('ImageRejected', 'the image is rejected: it has a backing file', { hint: 'Fix it' });
    await expect(prepare(containerDisk('a'), containerDisk('b'))).rejects.toMatchObject({
      reason: 'ImageRejected',
      message: 'the image is rejected: it has a backing file',
      hint: 'Fix it',
    });
    expect(requests.map(({ image }) => image)).toEqual(['a', 'a', 'b']);
  });

  it('is rejected if the host has no room', async () => {
    available = 100 * MIB;
    await expect(prepare(containerDisk('debian'))).rejects.toMatchObject({
      reason: 'InsufficientDiskSpace',
      message: 'the host has not enough disk space: 256 MiB needed, 100 MiB available',
    });
    expect(requests).toEqual([]);
  });
});

describe.skipIf(!isReady)('the disk of a claim', () => {
  it('is filled from its image once, and outlives its machine', async () => {
    claims['shop/root'] = { uid: 'c-1', bytes: 4 * MIB, image: { source: 'debian', checksum: 'sha256:1' } };
    expect(await prepare(claimDisk('root'))).toEqual([
      { name: 'root', file: 'disk0.raw', format: 'raw', readonly: false },
    ]);
    expect(requests).toEqual([{ image: 'debian', namespace: 'shop', checksum: 'sha256:1', secret: 'keys' }]);
    expect(statSync(join(machine, 'disk0.raw')).size).toBe(4 * MIB);
    expect(readFileSync(join(machine, 'disk0.raw')).toString('latin1', 0, 3)).toBe('bbb');
    writeFileSync(join(machine, 'disk0.raw'), 'written by the guest', { flag: 'r+' });
    rmSync(machine, { recursive: true });
    mkdirSync(machine);
    claims['shop/root'] = { ...claims['shop/root'], bytes: 8 * MIB };
    await prepare(claimDisk('root', { readOnly: true }));
    expect(readFileSync(join(machine, 'disk0.raw'), 'latin1').slice(0, 20)).toBe('written by the guest');
    expect(statSync(join(machine, 'disk0.raw')).size).toBe(8 * MIB);
    expect(requests).toHaveLength(1);
  });

  it('is blank without an image, and deleted with its claim', async () => {
    claims['shop/data'] = { uid: 'c-2', bytes: 2 * MIB };
    await prepare(claimDisk('data'));
    expect(statSync(join(machine, 'disk0.raw'))).toMatchObject({ size: 2 * MIB, blocks: 0 });
    const { files } = sources();
    await files.remove('c-2');
    await files.remove('c-3');
    expect(readdirSync(join(root, 'claims'))).toEqual([]);
  });

  it.each([
    [
      { uid: 'c', bytes: 1, copyOf: 'claim shop/other' },
      'volume root: a copy of claim shop/other is not supported by the qemu driver',
    ],
    [undefined, 'PersistentVolumeClaim "shop/root" not found'],
  ])('that is %j is rejected', async (claim, message) => {
    if (claim !== undefined) claims['shop/root'] = claim;
    await expect(prepare(claimDisk('root'))).rejects.toThrow(message);
  });

  it('must be large enough for its image', async () => {
    const record = { virtualBytes: 9 * MIB };
    images['debian'] = { ...(images['debian'] as BaseImage), cached: { record } as BaseImage['cached'] & object };
    claims['shop/root'] = { uid: 'c', bytes: MIB, image: { source: 'debian' } };
    await expect(prepare(claimDisk('root'))).rejects.toMatchObject({ reason: 'ClaimTooSmall' });
  });
});

describe('a disk of the host', () => {
  it('is a file in an allowed directory, and created if requested', async () => {
    const path = join(root, 'host/new.img');
    await expect(prepare(hostDisk(path))).rejects.toThrow(`hostDisk ${path} not found`);
    expect(await prepare(hostDisk(path, { type: 'DiskOrCreate', capacity: '2Mi' }))).toMatchObject([
      { file: path, format: 'raw' },
    ]);
    expect(statSync(path).size).toBe(2 * MIB);
  });

  it.each(['base', 'host/../base', 'host/away/base', 'nowhere/base', 'host/link', 'host'])(
    '%s is rejected',
    async (path) => {
      symlinkSync(root, join(root, 'host/away'));
      symlinkSync(join(root, 'base'), join(root, 'host/link'));
      const rejected = prepare(hostDisk(`${root}/${path}`));
      await expect(rejected).rejects.toThrow(path === 'host/link' ? 'is not a regular file' : '--host-disk-dirs');
    },
  );
});
