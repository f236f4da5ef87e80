import { describe, expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import { bestVolume, type ClaimStep, planClaim } from './claim-plan.ts';
import { planVolume, type VolumeStep, withoutClaim } from './volume-plan.ts';

const bound = { 'pv.kubernetes.io/bind-completed': 'yes' };
const mine = { namespace: 'n', name: 'c', uid: 'u' };

const claim = (spec: object = {}, metadata: object = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { ...mine, ...metadata },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '5Gi' } },
    storageClassName: 'fast',
    ...spec,
  },
});
const volume = (name: string, spec: object = {}, more: object = {}): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' }, storageClassName: 'fast', ...spec },
  status: { phase: 'Available' },
  ...more,
});
const storageClass = (name: string, more: object = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'example.com/disk',
  ...more,
});

describe('the volume for a claim', () => {
  it.each<[string, PersistentVolumeClaim, PersistentVolume[], string | undefined]>([
    [
      'is the smallest that is large enough',
      claim(),
      [
        volume('big', { capacity: { storage: '1Ti' } }),
        volume('fit'),
        volume('small', { capacity: { storage: '1Gi' } }),
      ],
      'fit',
    ],
    ['has the same class', claim(), [volume('slow', { storageClassName: 'slow' })], undefined],
    [
      'of a claim without a class has none',
      claim({ storageClassName: '' }),
      [volume('slow'), volume('none', { storageClassName: undefined })],
      'none',
    ],
    [
      'has the requested access modes',
      claim({ accessModes: ['ReadWriteMany'] }),
      [volume('one'), volume('many', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] })],
      'many',
    ],
    [
      'has the requested volume mode',
      claim({ volumeMode: 'Block' }),
      [volume('files'), volume('block', { volumeMode: 'Block' })],
      'block',
    ],
    [
      'has the requested labels',
      claim({ selector: { matchLabels: { a: 'b' } } }),
      [volume('x'), volume('y', {}, { metadata: { name: 'y', labels: { a: 'b' } } })],
      'y',
    ],
    [
      'is not bound to another claim',
      claim(),
      [volume('taken', { claimRef: { namespace: 'n', name: 'other' } })],
      undefined,
    ],
    [
      'is not bound to a deleted claim of the same name',
      claim(),
      [volume('old', { claimRef: { ...mine, uid: 'before' } })],
      undefined,
    ],
    [
      'is the one that is reserved for it',
      claim(),
      [volume('a'), volume('reserved', { claimRef: { namespace: 'n', name: 'c' }, capacity: { storage: '1Ti' } })],
      'reserved',
    ],
    [
      'is not terminating',
      claim(),
      [volume('dying', {}, { metadata: { name: 'dying', deletionTimestamp: 'now' } })],
      undefined,
    ],
    [
      'is not released with the data of another claim',
      claim(),
      [volume('used', {}, { status: { phase: 'Released' } })],
      undefined,
    ],
  ])('%s', (_what, asking, volumes, name) => {
    expect(bestVolume(asking, volumes)?.metadata.name).toBe(name);
  });
});

describe('a claim', () => {
  const late = storageClass('fast', { volumeBindingMode: 'WaitForFirstConsumer' });
  const fit = volume('fit');
  it.each<[string, PersistentVolumeClaim, PersistentVolume[], StorageClass[], ClaimStep]>([
    ['is bound to a volume that fits', claim(), [fit], [], { do: 'bind', volume: fit }],
    ['waits if nothing fits and there is no provisioner', claim(), [], [], { do: 'wait' }],
    [
      'is sent to the provisioner of its class',
      claim(),
      [],
      [storageClass('fast')],
      { do: 'ask for volume', provisioner: 'example.com/disk' },
    ],
    [
      'is not provisioned if its class has no provisioner',
      claim(),
      [],
      [storageClass('fast', { provisioner: 'kubernetes.io/no-provisioner' })],
      { do: 'wait' },
    ],
    ['waits for a node with WaitForFirstConsumer', claim(), [fit], [late], { do: 'wait' }],
    [
      'is provisioned once a node is selected',
      claim({}, { annotations: { 'volume.kubernetes.io/selected-node': 'n1' } }),
      [],
      [late],
      { do: 'ask for volume', provisioner: 'example.com/disk' },
    ],
    [
      'without a class gets the default class',
      claim({ storageClassName: undefined }),
      [],
      [
        storageClass('a'),
        storageClass('b', {
          metadata: { name: 'b', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        }),
      ],
      { do: 'take class', className: 'b' },
    ],
    [
      'that names a volume is bound to it',
      claim({ volumeName: 'fit' }),
      [volume('a'), fit],
      [],
      { do: 'bind', volume: fit },
    ],
    ['that names a missing volume waits', claim({ volumeName: 'none' }), [fit], [], { do: 'wait' }],
    [
      'that names the volume of another waits',
      claim({ volumeName: 'x' }),
      [volume('x', { claimRef: { namespace: 'n', name: 'o' } })],
      [],
      { do: 'wait' },
    ],
    [
      'that is bound stays bound',
      claim({ volumeName: 'fit' }, { annotations: bound }),
      [fit],
      [],
      { do: 'bind', volume: fit },
    ],
    ['whose volume was deleted is lost', claim({ volumeName: 'gone' }, { annotations: bound }), [], [], { do: 'lose' }],
    [
      'whose volume belongs to another claim is lost',
      claim({ volumeName: 'x' }, { annotations: bound }),
      [volume('x', { claimRef: { ...mine, uid: 'o' } })],
      [],
      { do: 'lose' },
    ],
    ['that is terminating is not bound', claim({}, { deletionTimestamp: 'now' }), [fit], [], { do: 'wait' }],
  ])('%s', (_what, asking, volumes, classes, step) => {
    expect(planClaim(asking, { volumes, classes })).toEqual(step);
  });
});

describe('a volume', () => {
  const kept = { claimRef: mine };
  const retain = { ...kept, persistentVolumeReclaimPolicy: 'Retain' };
  const del = { ...kept, persistentVolumeReclaimPolicy: 'Delete' };
  const at = (phase: string, more: object = {}) => ({ status: { phase }, ...more });
  const dynamic = { metadata: { name: 'v', annotations: { 'pv.kubernetes.io/provisioned-by': 'example.com/disk' } } };
  it.each<[string, PersistentVolume, PersistentVolumeClaim | undefined, VolumeStep]>([
    ['without a claim is available', volume('v'), undefined, { do: 'report', phase: 'Available' }],
    [
      'that is reserved by name is available',
      volume('v', { claimRef: { namespace: 'n', name: 'c' } }),
      claim(),
      { do: 'report', phase: 'Available' },
    ],
    [
      'whose claim is bound to it is bound',
      volume('v', kept),
      claim({ volumeName: 'v' }),
      { do: 'report', phase: 'Bound' },
    ],
    ['whose claim is not bound yet waits', volume('v', kept), claim(), { do: 'nothing' }],
    [
      'whose claim is bound to another volume is available again',
      volume('v', kept),
      claim({ volumeName: 'w' }),
      { do: 'unbind' },
    ],
    [
      'whose claim was deleted is released',
      volume('v', del, at('Bound')),
      undefined,
      { do: 'report', phase: 'Released' },
    ],
    [
      'whose claim was recreated is released',
      volume('v', retain, at('Bound')),
      claim({}, { uid: 'new' }),
      { do: 'report', phase: 'Released' },
    ],
    [
      'with the policy Retain stays released',
      volume('v', retain, at('Released')),
      undefined,
      { do: 'report', phase: 'Released' },
    ],
    [
      'with a provisioner that deletes it stays released',
      volume('v', del, { ...at('Released'), ...dynamic }),
      undefined,
      { do: 'report', phase: 'Released' },
    ],
    [
      'without a provisioner that can delete it fails',
      volume('v', del, at('Released')),
      undefined,
      {
        do: 'report',
        phase: 'Failed',
        message: 'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
      },
    ],
    ['that failed stays failed', volume('v', del, at('Failed')), undefined, { do: 'nothing' }],
  ])('%s', (_what, subject, owner, step) => {
    expect(planVolume(subject, owner)).toEqual(step);
  });

  it('that its author reserved by name stays reserved after it is released', () => {
    expect(withoutClaim(volume('v', { claimRef: { ...mine, resourceVersion: '7' } })).spec.claimRef).toEqual({
      namespace: 'n',
      name: 'c',
    });
    const ours = { metadata: { name: 'v', annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } } };
    expect(withoutClaim(volume('v', kept, ours)).spec.claimRef).toBeUndefined();
  });
});
