import { describe, expect, it } from 'vitest';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import { LocalImages } from './local-images.ts';
import { prepareDisks } from './prepare-disks.ts';
import { configDriveSeed, noCloudSeed } from './seed-files.ts';

const sources = { images: new LocalImages('/nowhere'), secrets: { read: async () => undefined } };
const diskOf = (name: string, volume: object) =>
  ({ name, target: 'disk', bus: 'virtio', readonly: false, volume: { name, ...volume } }) as MachineDisk;
const specOf = (...disks: MachineDisk[]) => ({ id: 'uid-1', name: 'web', disks }) as unknown as MachineSpec;
const textsOf = (files: Readonly<Record<string, Uint8Array>> = {}) =>
  Object.fromEntries(Object.entries(files).map(([name, data]) => [name, Buffer.from(data).toString()]));

describe('disks of a real machine', () => {
  it('rejects every volume that is not supported, by name and in one error', async () => {
    const spec = specOf(
      diskOf('data', { persistentVolumeClaim: { claimName: 'c' } }),
      diskOf('root', { emptyDisk: { capacity: '1Gi' } }),
      diskOf('seed', { cloudInitNoCloud: { secretRef: { name: 's' }, networkDataSecretRef: { name: 'n' } } }),
    );
    await expect(prepareDisks(spec, '/nowhere', sources)).rejects.toThrow(
      'volume data: persistentVolumeClaim; volume seed: cloudInitNoCloud.secretRef; ' +
        'volume seed: cloudInitNoCloud.networkDataSecretRef is not supported by the qemu driver',
    );
  });

  it('says how to get an image that is missing, and which images are supported', async () => {
    const rootOf = (image: string) => specOf(diskOf('root', { containerDisk: { image } }));
    await expect(prepareDisks(rootOf('vimana.local/demo-guest'), '/nowhere', sources)).rejects.toMatchObject({
      message: 'image vimana.local/demo-guest not found',
      hint: 'Build the demo guest: vimana image build',
    });
    await expect(prepareDisks(rootOf('quay.io/fedora'), '/nowhere', sources)).rejects.toThrow('image quay.io/fedora');
  });

  it.each([
    ['vimana.local/demo-guest', '/images/demo-guest.raw'],
    ['vimana.local/demo-guest:latest', '/images/demo-guest.raw'],
    ['vimana.local/../secret', undefined],
    ['vimana.local/a/b', undefined],
    ['quay.io/fedora', undefined],
  ])('finds the image %s at %s', (image, path) => {
    expect(new LocalImages('/images').pathOf(image)).toBe(path);
  });

  it('passes user data to cloud-init in the layout that it expects', () => {
    const noCloud = diskOf('seed', { cloudInitNoCloud: { userData: '#!/bin/sh\n', networkDataBase64: 'bmV0' } });
    expect(noCloudSeed(noCloud, specOf())?.label).toBe('cidata');
    expect(textsOf(noCloudSeed(noCloud, specOf())?.files)).toEqual({
      'meta-data': '{"instance-id":"uid-1","local-hostname":"web"}\n',
      'user-data': '#!/bin/sh\n',
      'network-config': 'net',
    });
    const configDrive = diskOf('seed', { cloudInitConfigDrive: { userDataBase64: 'eA==' } });
    expect(configDriveSeed(configDrive, specOf())?.label).toBe('config-2');
    expect(textsOf(configDriveSeed(configDrive, specOf())?.files)['openstack/latest/user_data']).toBe('x');
    expect(noCloudSeed(configDrive, specOf())).toBeUndefined();
  });
});
