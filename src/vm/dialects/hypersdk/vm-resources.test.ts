import { describe, expect, it } from 'vitest';
import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { claimedDisks } from '#api/hypersdk/claims';
import type { PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import { changedClaim, claimOwnership, newClaim } from '#vm/controllers/vm-resources/claim';
import { claimState } from '#vm/controllers/vm-resources/claim-state';
import type { OwnerVm } from '#vm/controllers/vm-resources/group';
import { newService } from '#vm/controllers/vm-resources/service';
import { servicePorts } from './ports.ts';
import { HYPERSDK_RESOURCES } from './vm-resources.ts';

const vm = (annotations: Record<string, string> = {}, name = 'web') =>
  ({ metadata: { name, namespace: 'shop', uid: 'vm', annotations }, spec: {} }) as unknown as OwnerVm;
const RETAINED = { 'hypersdk.io/retain-disks': 'true' };
const disk = (more: Partial<ClaimedDisk> = {}): ClaimedDisk => ({
  disk: { name: 'root', size: '20Gi', storageClass: 'standard' },
  claim: 'web-root',
  originField: 'spec.image',
  ...more,
});
const OWNER = { apiVersion: 'hypersdk.io/v1alpha1', kind: 'VirtualMachine', name: 'web', uid: 'vm', controller: true };
const claim = (meta: object = {}, more: { size?: string; phase?: string } = {}) =>
  ({
    metadata: { name: 'web-root', namespace: 'shop', ...meta },
    spec: {
      storageClassName: 'standard',
      accessModes: ['ReadWriteMany'],
      resources: { requests: { storage: more.size ?? '20Gi' } },
    },
    status: { phase: more.phase ?? 'Bound' },
  }) as unknown as PersistentVolumeClaim;
const OWN = { ownerReferences: [OWNER] };
const FREE = { labels: { 'hypersdk.io/vm': 'web' } };
const ANOTHERS = { ownerReferences: [{ ...OWNER, name: 'db', uid: 'other' }] };

describe('the disks with claims', () => {
  const ROOT = { name: 'root', size: '1Gi', storageClass: 'standard', type: 'disk' } as const;
  const image = { source: 's3://b/i.qcow2', checksum: { type: 'md5', value: 'abc' } } as const;
  const origins = (spec: Parameters<typeof claimedDisks>[1]) =>
    claimedDisks('web', spec).map(({ claim: name, origin }) => [name, origin]);

  it('are those of the VM, the first with its image', () => {
    const from = { image: 's3://b/i.qcow2', checksum: 'md5:abc' };
    expect(
      origins({
        disks: [
          { ...ROOT, name: 'data' },
          { ...ROOT, bootOrder: 1 },
        ],
        image,
      }),
    ).toEqual([
      ['web-data', undefined],
      ['web-root', from],
    ]);
    expect(origins({ disks: [ROOT, { ...ROOT, name: 'data' }], image })).toEqual([
      ['web-root', from],
      ['web-data', undefined],
    ]);
    expect(origins({ image })).toEqual([['web-root', from]]);
    expect(origins({})).toEqual([]);
    expect(origins({ disks: [], image })).toEqual([]);
  });

  it.each([
    [{ pvc: 'golden' }, { claim: 'golden' }],
    [{ http: 'https://a/b' }, { image: 'https://a/b' }],
    [{ s3: 's3://a/b' }, { image: 's3://a/b' }],
    [{ containerDisk: 'a/b:1' }, { image: 'a/b:1' }],
  ])('are populated from %j', (source, expected) => {
    expect(origins({ disks: [{ ...ROOT, source }], image })).toEqual([['web-root', expected]]);
  });
});

describe('the claim of a disk', () => {
  it('has its owner, size, class and source', () => {
    const made = newClaim(HYPERSDK_RESOURCES, vm(), disk({ origin: { image: 'https://a/i', checksum: 'sha256:1' } }));
    expect(made.metadata).toMatchObject({ labels: { vm: 'web', 'hypersdk.io/vm': 'web' }, ownerReferences: [OWNER] });
    expect(JSON.parse(made.metadata?.annotations?.['vimana.io/disk-contents'] ?? '')).toEqual({
      image: { source: 'https://a/i', checksum: 'sha256:1' },
      files: {},
    });
    expect(made.spec).toEqual({
      accessModes: ['ReadWriteMany'],
      storageClassName: 'standard',
      resources: { requests: { storage: '20Gi' } },
    });
    const once = vm({ ...RETAINED, 'hypersdk.io/disk-access-mode': 'ReadWriteOnce' });
    expect(newClaim(HYPERSDK_RESOURCES, once, disk()).metadata).not.toHaveProperty('ownerReferences');
    expect(newClaim(HYPERSDK_RESOURCES, once, disk())).toMatchObject({ spec: { accessModes: ['ReadWriteOnce'] } });
    expect(newClaim(HYPERSDK_RESOURCES, vm(), disk({ origin: { claim: 'golden' } }))).toMatchObject({
      metadata: { annotations: { 'vimana.io/disk-source': '{"claim":"golden"}' } },
      spec: { dataSource: { kind: 'PersistentVolumeClaim', name: 'golden' } },
    });
  });

  it.each<[string, object, Partial<ClaimedDisk>]>([
    ['own', OWN, {}],
    ['free', FREE, {}],
    ['other', {}, {}],
    ['other', ANOTHERS, {}],
    ['other', { ...ANOTHERS, ...FREE }, {}],
    ['named', {}, { origin: { claim: 'web-root' } }],
    ['named', ANOTHERS, { origin: { claim: 'web-root' } }],
  ])('is %s with %j, for %j', (whose, meta, more) => {
    expect(claimOwnership(HYPERSDK_RESOURCES, claim(meta), vm(), disk(more))).toBe(whose);
  });

  it.each<[string, object, Record<string, string>, object, object | undefined]>([
    ['is unchanged if it is up to date', OWN, {}, {}, undefined],
    ['stays without an owner if it is retained', FREE, RETAINED, {}, undefined],
    ['is adopted', FREE, {}, {}, { metadata: OWN }],
    ['is released', OWN, RETAINED, {}, { metadata: { ownerReferences: [] } }],
    ['grows', OWN, {}, { size: '10Gi' }, { spec: { resources: { requests: { storage: '20Gi' } } } }],
    ['does not grow before it has a volume', OWN, {}, { size: '10Gi', phase: 'Pending' }, undefined],
    ['never shrinks', OWN, {}, { size: '40Gi' }, undefined],
    ['of another owner is unchanged', ANOTHERS, {}, { size: '10Gi' }, undefined],
    ['that is terminating is unchanged', { ...FREE, deletionTimestamp: 'now' }, {}, {}, undefined],
  ])('%s', (_what, meta, annotations, more, expected) => {
    const changed = changedClaim(HYPERSDK_RESOURCES, claim(meta, more), vm(annotations), disk());
    if (expected === undefined) expect(changed).toBeUndefined();
    else expect(changed).toMatchObject(expected);
  });
});

describe('the state of the claim of a disk', () => {
  const immediate = { volumeBindingMode: 'Immediate' } as StorageClass;
  const waiting = { volumeBindingMode: 'WaitForFirstConsumer' } as StorageClass;
  it.each<[string, PersistentVolumeClaim | undefined, Partial<ClaimedDisk>, StorageClass | undefined, object]>([
    ['bound', claim(OWN), {}, immediate, { state: 'bound' }],
    ['not created yet', undefined, {}, immediate, { state: 'missing' }],
    [
      'not created because its source is missing',
      undefined,
      { origin: { claim: 'g' } },
      immediate,
      { state: 'missing', reason: 'NotFound' },
    ],
    [
      'terminating',
      claim({ ...OWN, deletionTimestamp: 'now' }),
      {},
      immediate,
      { state: 'missing', reason: 'ClaimGoing' },
    ],
    ['that of another owner', claim(ANOTHERS), {}, immediate, { state: 'taken', reason: 'ClaimTaken' }],
    ['lost', claim(OWN, { phase: 'Lost' }), {}, immediate, { state: 'pending', reason: 'ClaimLost' }],
    ['pending', claim(OWN, { phase: 'Pending' }), {}, immediate, { state: 'pending', reason: 'ClaimPending' }],
    [
      'pending until its pod is scheduled',
      claim(OWN, { phase: 'Pending' }),
      {},
      waiting,
      { state: 'pending', waits: true },
    ],
    [
      'pending because its class is missing',
      claim(OWN, { phase: 'Pending' }),
      {},
      undefined,
      { message: expect.stringContaining('StorageClass standard not found') },
    ],
  ])('that is %s', (_what, found, more, storageClass, expected) => {
    expect(claimState(HYPERSDK_RESOURCES, found, vm(), disk(more), undefined, storageClass)).toMatchObject({
      name: 'web-root',
      ...expected,
    });
  });

  it.each<[string, Partial<ClaimedDisk>, string, object]>([
    [
      'is too small',
      {},
      '30Gi',
      {
        reason: 'DiskTooSmall',
        message:
          'disk root requests 20Gi, but its source, PersistentVolumeClaim g, referenced by spec.image, has 30Gi: request at least 30Gi, or use a smaller source',
      },
    ],
    ['has the same size', {}, '20480Mi', {}],
    ['is larger', {}, '10Gi', {}],
    ['has no fixed size', { anySize: true }, '30Gi', {}],
  ])('that is a copy whose disk %s', (_what, more, size, expected) => {
    const copying = disk({ origin: { claim: 'g' }, ...more });
    expect(claimState(HYPERSDK_RESOURCES, undefined, vm(), copying, claim({}, { size }), immediate)).toEqual({
      name: 'web-root',
      state: 'missing',
      ...expected,
    });
  });

  it('waits until a copy is populated, if a controller here does that', () => {
    const annotations = { 'vimana.io/disk-source': '{"snapshot":"s","disk":"root","namespace":"up"}' };
    const simulated = { ...immediate, provisioner: 'vimana.io/simulated' } as StorageClass;
    const view = (contents: object, of: StorageClass | undefined) =>
      claimState(
        HYPERSDK_RESOURCES,
        claim({ ...OWN, annotations: { ...annotations, ...contents } }),
        vm(),
        disk(),
        undefined,
        of,
      );
    expect(view({}, simulated)).toMatchObject({
      state: 'pending',
      reason: 'DiskUnfilled',
      message: expect.stringContaining(
        'PersistentVolumeClaim web-root is not populated from VMSnapshot up/s yet',
      ) as string,
    });
    expect(view({ 'vimana.io/disk-contents': '{"files":{}}' }, simulated).state).toBe('bound');
    expect(view({}, { ...immediate, provisioner: 'csi.example.com' }).state).toBe('bound');
  });

  it('does not wait for an existing source', () => {
    const seen = claimState(HYPERSDK_RESOURCES, undefined, vm(), disk({ origin: { claim: 'g' } }), claim(), immediate);
    expect(seen).toEqual({ name: 'web-root', state: 'missing' });
  });
});

describe('the Service of a VM', () => {
  it('selects its pod, and has no address of its own', () => {
    expect(newService(HYPERSDK_RESOURCES, vm())).toMatchObject({
      metadata: { name: 'web', ownerReferences: [OWNER] },
      spec: { clusterIP: 'None', selector: { vm: 'web' } },
    });
  });

  it('has the ports of the interface on the pod network', () => {
    const other = { name: 'fast', type: 'bridge', ports: [{ port: 5000, protocol: 'TCP' }] } as const;
    const ports = servicePorts({
      networks: [
        other,
        {
          name: 'default',
          ports: [
            { name: 'web', port: 80, protocol: 'TCP' },
            { port: 53, protocol: 'UDP' },
          ],
        },
      ],
    });
    const expected = [
      { name: 'web', port: 80, protocol: 'TCP' },
      { name: 'udp-53', port: 53, protocol: 'UDP' },
    ];
    expect(ports).toEqual(expected);
    expect(newService(HYPERSDK_RESOURCES, vm(), ports)?.spec).toMatchObject({ ports: expected });
    expect([servicePorts({}), servicePorts({ networks: [other] })]).toEqual([[], []]);
  });

  it.each(['1web', 'web.example'])('cannot have the name %s', (name) => {
    expect(newService(HYPERSDK_RESOURCES, vm({}, name))).toBeUndefined();
  });
});
