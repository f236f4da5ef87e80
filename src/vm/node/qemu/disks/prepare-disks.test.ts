import { describe, expect, it } from 'vitest';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import type { ImageDisks } from './image-disks.ts';
import { prepareDisks } from './prepare-disks.ts';
import { configDriveSeed, noCloudSeed } from './seed-files.ts';

const sources = { images: {} as ImageDisks, secrets: { read: async () => undefined } };
const diskOf = (name: string, volume: object) =>
  ({ name, target: 'disk', bus: 'virtio', readonly: false, volume: { name, ...volume } }) as MachineDisk;
const specOf = (...disks: MachineDisk[]) => ({ id: 'uid-1', name: 'web', disks }) as unknown as MachineSpec;
const textsOf = (files: Readonly<Record<string, Uint8Array>> = {}) =>
  Object.fromEntries(Object.entries(files).map(([name, data]) => [name, Buffer.from(data).toString()]));

describe('disks of a real machine', () => {
  it('rejects every volume that is not supported, by name and in one error', async () => {
    const spec = specOf(
      diskOf('data', { memoryDump: { claimName: 'c' } }),
      diskOf('root', { emptyDisk: { capacity: '1Gi' } }),
      diskOf('seed', { cloudInitNoCloud: { secretRef: { name: 's' }, networkDataSecretRef: { name: 'n' } } }),
    );
    await expect(prepareDisks(spec, '/nowhere', sources)).rejects.toThrow(
      'volume data: memoryDump; volume seed: cloudInitNoCloud.secretRef; ' +
        'volume seed: cloudInitNoCloud.networkDataSecretRef is not supported by the qemu driver',
    );
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
