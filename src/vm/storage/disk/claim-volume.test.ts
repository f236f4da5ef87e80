import { describe, expect, it } from 'vitest';
import type { StorageClass } from '#platform/kube/kinds/storage';
import { atLeast, volumeState } from './claim-volume.ts';

describe('the volume of a claim', () => {
  const of = (volumeBindingMode: string): StorageClass => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'c' },
    provisioner: 'p',
    volumeBindingMode,
  });
  const classes: Record<string, StorageClass> = { now: of('Immediate'), late: of('WaitForFirstConsumer') };

  it.each([
    { storageClassName: 'now', phase: 'Bound', state: 'bound' },
    { storageClassName: 'late', phase: 'Bound', state: 'bound' },
    { storageClassName: 'now', phase: 'Pending', state: 'awaited' },
    { storageClassName: 'late', phase: 'Pending', state: 'later' },
    { storageClassName: 'gone', phase: 'Pending', state: 'awaited' },
  ])('of class $storageClassName is $state while it is $phase', ({ storageClassName, phase, state }) => {
    const named = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' } };
    const claim = { ...named, spec: { storageClassName }, status: { phase } };
    expect(volumeState(claim, (name) => classes[name])).toBe(state);
  });
});

describe('the size of a copy', () => {
  it.each([
    { asked: '1Gi', bytes: 0, size: '1Gi' },
    { asked: '1Gi', bytes: 2 ** 30, size: '1Gi' },
    { asked: '1G', bytes: 2 ** 30, size: '1Gi' },
    { asked: 1000, bytes: 1001, size: '1001' },
    { asked: undefined, bytes: 2 ** 20, size: '1Mi' },
  ])('is $size if $asked is requested and the source has $bytes bytes', ({ asked: requested, bytes, size }) => {
    expect(atLeast(requested, bytes)).toBe(size);
  });
});
