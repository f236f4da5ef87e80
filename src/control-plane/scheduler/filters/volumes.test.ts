import { describe, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import { BIND_COMPLETED } from '#platform/kube/kinds/volume-binding';
import {
  filterResults,
  type HarnessOptions,
  node,
  type PodOptions,
  pod,
  schedulerHarness,
  ZONE,
} from '../harness.fixture.ts';
import { nodeVolumeLimits } from './node-volume-limits.ts';
import { volumeBinding } from './volume-binding.ts';
import { volumeRestrictions } from './volume-restrictions.ts';
import { volumeZone } from './volume-zone.ts';

const NONE_LEFT = "node(s) didn't find available persistent volumes to bind";
const ELSEWHERE = "node(s) didn't match PersistentVolume's node affinity";
const using = (claimName: string, parts: PodOptions = {}) =>
  pod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }], ...parts });

function claim(name: string, spec: object = {}, more: object = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ...more },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  };
}
const bound = (name: string, volumeName: string, spec: object = {}) =>
  claim(name, { volumeName, ...spec }, { annotations: { [BIND_COMPLETED]: 'yes' } });
const on = (name: string) => ({
  required: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }] },
});
function volume(name: string, spec: object = {}, labels: Record<string, string> = {}): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
    status: { phase: 'Available' },
  };
}
function storageClass(name: string, more: object = {}): StorageClass {
  const volumeBindingMode = 'WaitForFirstConsumer';
  const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };
  return { ...kind, metadata: { name }, provisioner: 'example.com/disks', volumeBindingMode, ...more };
}

describe('claims of a pod', () => {
  const late = { storageClassName: 'late' };
  const classes = [
    storageClass('late'),
    storageClass('now', { volumeBindingMode: 'Immediate' }),
    storageClass('static', { provisioner: 'kubernetes.io/no-provisioner' }),
    storageClass('in-a', { allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['a'] }] }] }),
  ];
  const fixed = { storageClassName: 'static' };
  const CASES: readonly [what: string, parts: HarnessOptions, expected: object | string][] = [
    ['are rejected if one is missing', {}, 'persistentvolumeclaim "c" not found'],
    [
      'are rejected if one is being deleted',
      { claims: [claim('c', {}, { deletionTimestamp: 'now' })] },
      'persistentvolumeclaim "c" is being deleted',
    ],
    [
      'are rejected if an immediate one is unbound',
      { claims: [claim('c', { storageClassName: 'now' })] },
      'pod has unbound immediate PersistentVolumeClaims',
    ],
    [
      'are rejected if one names a volume but is unbound',
      { claims: [claim('c', { ...late, volumeName: 'x' })] },
      'pod has unbound immediate PersistentVolumeClaims',
    ],
    [
      'fit all nodes that can access the volume',
      { claims: [bound('c', 'x')], volumes: [volume('x')] },
      { a: '', b: '' },
    ],
    [
      'fit only the node that can access the volume',
      { claims: [bound('c', 'x')], volumes: [volume('x', { nodeAffinity: on('b') })] },
      { a: ELSEWHERE, b: '' },
    ],
    [
      'fit no node if the volume was deleted',
      { claims: [bound('c', 'x')] },
      {
        a: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
        b: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
      },
    ],
    ['fit all nodes if they can be provisioned anywhere', { claims: [claim('c', late)] }, { a: '', b: '' }],
    [
      'fit only the zone where they can be provisioned',
      { claims: [claim('c', { storageClassName: 'in-a' })] },
      { a: '', b: NONE_LEFT },
    ],
    [
      'fit only the node for which they are being provisioned',
      { claims: [claim('c', late, { annotations: { 'volume.kubernetes.io/selected-node': 'b' } })] },
      { a: NONE_LEFT, b: '' },
    ],
    [
      'fit no node without a provisioner and a free volume',
      { claims: [claim('c', fixed)] },
      { a: NONE_LEFT, b: NONE_LEFT },
    ],
    [
      'fit only the node of a free volume',
      { claims: [claim('c', fixed)], volumes: [volume('x', { ...fixed, nodeAffinity: on('a') })] },
      { a: '', b: NONE_LEFT },
    ],
    [
      'fit no node if the free volume is too small',
      { claims: [claim('c', fixed)], volumes: [volume('x', { ...fixed, capacity: { storage: '1Mi' } })] },
      { a: NONE_LEFT },
    ],
    [
      'fit no node if the free volume has another class',
      { claims: [claim('c', fixed)], volumes: [volume('x')] },
      { a: NONE_LEFT },
    ],
    [
      'fit no node if the free volume is reserved',
      {
        claims: [claim('c', fixed)],
        volumes: [volume('x', { ...fixed, claimRef: { name: 'd', namespace: 'default' } })],
      },
      { a: NONE_LEFT },
    ],
    [
      'fit the node of the volume that is reserved for them',
      {
        claims: [claim('c', fixed)],
        volumes: [volume('x', { ...fixed, claimRef: { name: 'c', namespace: 'default' } })],
      },
      { a: '' },
    ],
  ];
  test.each(CASES)('%s', (_what, parts, expected) => {
    const nodes = [node('a', { labels: { [ZONE]: 'a' } }), node('b', { labels: { [ZONE]: 'b' } })];
    const said = filterResults(volumeBinding, using('c'), schedulerHarness({ nodes, classes, ...parts }));
    if (typeof expected === 'string') expect(said).toBe(expected);
    else expect(said).toMatchObject(expected);
  });

  test('two claims cannot share a volume', () => {
    const volumes = [volume('x', { storageClassName: 'static' })];
    const claims = [claim('c', { storageClassName: 'static' }), claim('d', { storageClassName: 'static' })];
    const both = ['c', 'd'].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
    const cluster = schedulerHarness({ nodes: [node('a')], classes, claims, volumes });
    expect(filterResults(volumeBinding, pod('p', { volumes: both }), cluster)).toEqual({ a: NONE_LEFT });
  });

  test('the claim of a generic ephemeral volume must belong to the pod', () => {
    const made = pod('p', { volumes: [{ name: 'v', ephemeral: {} }] });
    expect(filterResults(volumeBinding, made, schedulerHarness({ nodes: [node('a')] }))).toBe(
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"',
    );
    const cluster = schedulerHarness({ nodes: [node('a')], claims: [bound('p-v', 'x')], volumes: [volume('x')] });
    expect(filterResults(volumeBinding, made, cluster)).toBe(
      'PVC default/p-v was not created for pod default/p (pod is not owner)',
    );
  });

  test('a pod without claims passes the filter', () => {
    expect(filterResults(volumeBinding, pod('p'), schedulerHarness())).toBe('-');
  });
});

describe('volume zones', () => {
  const nodes = [node('a', { labels: { [ZONE]: 'a' } }), node('b', { labels: { [ZONE]: 'b' } }), node('nowhere')];
  const WRONG = 'node(s) had no available volume zone';
  const CASES: readonly [what: string, labels: Record<string, string>, expected: object | string][] = [
    ['match in one zone', { [ZONE]: 'a' }, { a: '', b: WRONG, nowhere: '' }],
    ['match in several zones', { [ZONE]: 'a__b' }, { a: '', b: '', nowhere: '' }],
    ['match by the older label', { 'failure-domain.beta.kubernetes.io/zone': 'b' }, { a: WRONG, b: '', nowhere: '' }],
    ['match every node without a zone', {}, '-'],
  ];
  test.each(CASES)('%s', (_what, labels, expected) => {
    const cluster = schedulerHarness({ nodes, claims: [bound('c', 'x')], volumes: [volume('x', {}, labels)] });
    expect(filterResults(volumeZone, using('c'), cluster)).toEqual(expected);
  });
});

test('a deleted volume has no zone', () => {
  const cluster = schedulerHarness({ nodes: [node('a')], claims: [bound('c', 'x')] });
  expect(filterResults(volumeZone, using('c'), cluster)).toBe('persistentvolume "x" not found');
});

describe('exclusive volumes', () => {
  const ALONE =
    'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';
  test('include claims with the access mode ReadWriteOncePod', () => {
    const parts = { nodes: [node('a'), node('b')], claims: [bound('c', 'x', { accessModes: ['ReadWriteOncePod'] })] };
    const other = pod('other', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] });
    expect(filterResults(volumeRestrictions, using('c'), schedulerHarness(parts))).toEqual({ a: '', b: '' });
    expect(filterResults(volumeRestrictions, using('c'), schedulerHarness({ ...parts, pods: { a: [other] } }))).toEqual(
      {
        a: ALONE,
        b: ALONE,
      },
    );
  });

  test('can be shared on a node by readers only', () => {
    const disk = (readOnly: boolean) => ({
      volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd', readOnly } } as never],
    });
    const cluster = schedulerHarness({ nodes: [node('a'), node('b')], pods: { a: [pod('other', disk(true))] } });
    expect(filterResults(volumeRestrictions, pod('p', disk(true)), cluster)).toEqual({ a: '', b: '' });
    expect(filterResults(volumeRestrictions, pod('p', disk(false)), cluster)).toEqual({
      a: 'node(s) had no available disk',
      b: '',
    });
  });
});

test('a driver attaches a limited number of volumes, counted once each', () => {
  const csi = (volumeHandle: string) => ({ csi: { driver: 'example.com', volumeHandle } });
  const limited = (count: number) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: 'a' },
    spec: { drivers: [{ name: 'example.com', allocatable: { count } }] },
  });
  const parts = {
    nodes: [node('a'), node('b')],
    claims: [bound('c', 'x'), bound('d', 'y'), bound('e', 'x')],
    volumes: [volume('x', csi('x')), volume('y', csi('y'))],
    pods: { a: [pod('other', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] })] },
  };
  const TOO_MANY = 'node(s) exceed max volume count';
  expect(filterResults(nodeVolumeLimits, using('d'), schedulerHarness({ ...parts, csiNodes: [limited(1)] }))).toEqual({
    a: TOO_MANY,
    b: '',
  });
  expect(filterResults(nodeVolumeLimits, using('d'), schedulerHarness({ ...parts, csiNodes: [limited(2)] }))).toEqual({
    a: '',
    b: '',
  });
  expect(filterResults(nodeVolumeLimits, using('e'), schedulerHarness({ ...parts, csiNodes: [limited(1)] }))).toEqual({
    a: '',
    b: '',
  });
});
