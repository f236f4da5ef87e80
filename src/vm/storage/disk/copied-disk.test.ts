import { describe, expect, it } from 'vitest';
import { DISK_SOURCE_ANNOTATION, SIMULATED_PROVISIONER } from '#api/disk/request';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { copiedDisk, type DiskOrigins } from './copied-disk.ts';

const claim: PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'root', namespace: 'here' },
  spec: { storageClassName: 'real' },
  status: { phase: 'Bound', capacity: { storage: '2Gi' } },
};
const disks = [{ name: 'root', claim: 'root', volumeSnapshot: 's-root', sizeBytes: 2 ** 30 }];
const origins: DiskOrigins = {
  claim: (namespace, name) => (`${namespace}/${name}` === 'here/root' ? claim : undefined),
  snapshot: (namespace, name) =>
    `${namespace}/${name}` === 'here/s'
      ? ({ metadata: { name: 's' }, status: { disks } } as unknown as Snapshot)
      : undefined,
  storageClass: (name) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: name === 'real' ? 'csi.example.com' : SIMULATED_PROVISIONER,
  }),
};
const real = { namespace: 'here', storageClass: 'real' };

describe('a copy of a disk on storage that is not simulated', () => {
  it('is created from the claim, with the size of its volume', () => {
    expect(copiedDisk({ claim: 'root' }, real, origins)).toEqual({
      annotations: {},
      dataSource: { kind: 'PersistentVolumeClaim', name: 'root' },
      sourceBytes: 2 * 2 ** 30,
    });
  });

  it('is created from the VolumeSnapshot of a snapshot, with its restore size', () => {
    expect(copiedDisk({ snapshot: 's', disk: 'root' }, real, origins)).toEqual({
      annotations: {},
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's-root' },
      sourceBytes: 2 ** 30,
    });
  });

  it.each([
    { snapshot: 'unseen', disk: 'root' },
    { snapshot: 's', disk: 'other' },
  ])('is not created while its source is unknown: $snapshot, $disk', (source) => {
    expect(copiedDisk(source, real, origins)).toBeUndefined();
  });
});

describe('a copy of a simulated disk', () => {
  it('names its source, even if the cache does not show that yet', () => {
    const source = { snapshot: 'unseen', disk: 'root' };
    expect(copiedDisk(source, { namespace: 'here', storageClass: 'fast-ssd' }, origins)).toEqual({
      annotations: { [DISK_SOURCE_ANNOTATION]: JSON.stringify(source) },
    });
  });
});
