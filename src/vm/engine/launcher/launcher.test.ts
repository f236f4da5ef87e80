import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { Client } from '#platform/kube/client';
import type { Pod } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import { createLauncherPod } from './create-launcher-pod.ts';
import { launcherName, launcherPod } from './launcher-pod.ts';
import { launcherResources } from './resources.ts';
import { LAUNCHER_SETTINGS } from './settings.ts';
import { claimNames, imagePullSecrets, launcherVolumes } from './volumes.ts';

const domain = (more: object = {}): InstanceSpec['domain'] => ({ devices: {}, ...more });
const vmi = (spec: object = {}, metadata: object = {}): Vmi =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'shop', uid: 'u-1', ...metadata },
    spec: { domain: domain({ memory: { guest: '1Gi' } }), ...spec },
  }) as unknown as Vmi;
const podOf = (spec: object = {}, metadata: object = {}) =>
  launcherPod(vmi(spec, metadata), LAUNCHER_SETTINGS, () => undefined);

describe('the requests of a launcher', () => {
  const gpu = (name: string) => ({ name, deviceName: 'nvidia.com/gpu' });

  it.each<[what: string, domain: object, resources: object]>([
    [
      'a tenth of a CPU for each CPU of the guest',
      { memory: { guest: '1Gi' } },
      { requests: { cpu: '100m', memory: '1Gi' } },
    ],
    [
      'computed from sockets, cores and threads',
      { cpu: { sockets: 2, cores: 3, threads: 2 }, memory: { guest: '1Gi' } },
      { requests: { cpu: '1200m', memory: '1Gi' } },
    ],
    [
      'exactly the requests of the VM, in their notation',
      { cpu: { cores: 8 }, resources: { requests: { cpu: '1600m', memory: '10485760Ki' } } },
      { requests: { cpu: '1600m', memory: '10485760Ki' } },
    ],
    [
      'its limits if there are no requests',
      { resources: { limits: { cpu: 2, memory: '2Gi' } } },
      { requests: { cpu: 2, memory: '2Gi' }, limits: { cpu: 2, memory: '2Gi' } },
    ],
    [
      'less memory than that of the guest, if requested',
      { memory: { guest: '4Gi' }, resources: { requests: { memory: '1Gi' } } },
      { requests: { cpu: '100m', memory: '1Gi' } },
    ],
    [
      'whole CPUs if they are dedicated',
      { cpu: { cores: 4, dedicatedCpuPlacement: true }, memory: { guest: '1Gi' } },
      { requests: { cpu: 4, memory: '1Gi' }, limits: { cpu: 4, memory: '1Gi' } },
    ],
    [
      'huge pages instead of memory',
      { memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } } },
      { requests: { cpu: '100m', 'hugepages-2Mi': '1Gi' }, limits: { 'hugepages-2Mi': '1Gi' } },
    ],
    [
      'each of its GPUs',
      { memory: { guest: '1Gi' }, devices: { gpus: [gpu('a'), gpu('b')] } },
      { requests: { cpu: '100m', memory: '1Gi', 'nvidia.com/gpu': '2' }, limits: { 'nvidia.com/gpu': '2' } },
    ],
    [
      'devices by resource name, which are never shared',
      { memory: { guest: '1Gi' }, resources: { requests: { 'example.com/fpga': 1 } } },
      { requests: { cpu: '100m', memory: '1Gi', 'example.com/fpga': 1 }, limits: { 'example.com/fpga': 1 } },
    ],
  ])('are %s', (_what, vm, resources) => {
    expect(launcherResources({ domain: domain(vm) }, LAUNCHER_SETTINGS)).toEqual(resources);
  });

  it('include storage for disks with the lifetime of the pod', () => {
    const volumes = ['1Gi', '512Mi'].map((capacity, i) => ({ name: `d${i}`, emptyDisk: { capacity } }));
    const { requests } = launcherResources(
      { domain: domain({ memory: { guest: '1Gi' } }), volumes },
      LAUNCHER_SETTINGS,
    );
    expect(requests).toMatchObject({ 'ephemeral-storage': '1536Mi' });
  });

  it('include the memory overhead of QEMU', () => {
    const settings = { ...LAUNCHER_SETTINGS, memoryOverhead: 'qemu' } as const;
    const vm = { cpu: { cores: 2 }, memory: { guest: '1Gi' }, resources: { limits: { memory: '2Gi' } } };
    // 220Mi, 2Mi of page tables, 16Mi for two CPUs, 8Mi for I/O, 32Mi of video memory.
    expect(launcherResources({ domain: domain(vm) }, settings)).toMatchObject({
      requests: { memory: '2326Mi' },
      limits: { memory: '2326Mi' },
    });
    const headless = { memory: { guest: '512Mi' }, devices: { autoattachGraphicsDevice: false } };
    expect(launcherResources({ domain: domain(headless) }, settings).requests).toMatchObject({ memory: '749Mi' });
  });

  it('never exceed its limits', () => {
    const amount = fc.option(fc.integer({ min: 1, max: 64 }), { nil: undefined });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), amount, (cores, cpu) => {
        const limits = cpu === undefined ? {} : { resources: { limits: { cpu } } };
        const found = launcherResources({ domain: domain({ cpu: { cores }, ...limits }) }, LAUNCHER_SETTINGS);
        if (cpu !== undefined) expect(found.requests?.['cpu']).toBe(cpu);
      }),
    );
  });
});

describe('the launcher pod', () => {
  it('is what seed manifests and tools for KubeVirt expect', () => {
    const pod = podOf({}, { annotations: { 'kubevirt.io/vm-cpu-consumption': '0.05', 'vimana.io/identity': '{}' } });
    expect(pod.metadata.name).toMatch(/^virt-launcher-web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(pod.metadata.labels).toEqual({
      app: 'virt-launcher',
      'kubevirt.io': 'virt-launcher',
      'kubevirt.io/created-by': 'u-1',
      'kubevirt.io/domain': 'web',
      'vm.kubevirt.io/name': 'web',
      vm: 'web',
    });
    expect(pod.metadata.annotations).toEqual({
      'kubevirt.io/domain': 'web',
      'descheduler.alpha.kubernetes.io/request-evict-only': 'true',
      'kubevirt.io/vm-cpu-consumption': '0.05',
      'vimana.io/size': '{"sockets":1,"memory":"1Gi"}',
    });
    expect(pod.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachineInstance',
        name: 'web',
        uid: 'u-1',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(pod.spec).toEqual({
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 45,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      nodeSelector: { 'kubevirt.io/schedulable': 'true' },
      tolerations: [{ key: 'kwok.x-k8s.io/node', operator: 'Equal', value: 'fake', effect: 'NoSchedule' }],
      containers: [
        {
          name: 'compute',
          image: 'quay.io/kubevirt/virt-launcher:latest',
          resources: { requests: { cpu: '100m', memory: '1Gi' } },
        },
      ],
    });
  });

  it('has the metadata of the template, which takes precedence except over labels of selectors', () => {
    const labels = { app: 'shop', vm: 'mine', 'kubevirt.io': 'else', 'kubevirt.io/created-by': 'else' };
    const evictOnly = 'descheduler.alpha.kubernetes.io/request-evict-only';
    const annotations = { 'kubevirt.io/domain': 'mine', note: 'a', [evictOnly]: 'mine' };
    const pod = podOf({}, { labels, annotations: { ...annotations, 'vimana.io/size': 'as you like it' } });
    expect(pod.metadata.labels).toMatchObject({
      app: 'shop',
      vm: 'mine',
      'kubevirt.io': 'virt-launcher',
      'kubevirt.io/created-by': 'u-1',
    });
    expect(pod.metadata.annotations).toEqual({ ...annotations, 'vimana.io/size': '{"sockets":1,"memory":"1Gi"}' });
  });

  it('has the placement of the VM', () => {
    const placement = {
      affinity: { nodeAffinity: {} },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
      priorityClassName: 'high',
      schedulerName: 'other',
      hostname: 'host',
      subdomain: 'sub',
    };
    const { spec } = podOf({
      ...placement,
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      terminationGracePeriodSeconds: 0,
    });
    expect(spec).toMatchObject(placement);
    expect(spec.nodeSelector).toEqual({ disk: 'fast', 'kubevirt.io/schedulable': 'true' });
    expect(spec.tolerations).toHaveLength(2);
    expect(spec['terminationGracePeriodSeconds']).toBe(15);
    expect(spec.nodeName).toBeUndefined();
  });

  it('is named after the VM, not after the instance of another group', () => {
    const ownerReferences = [
      { apiVersion: 'hypersdk.io/v1alpha1', kind: 'VirtualMachine', name: 'web', uid: 'm', controller: true },
    ];
    const pod = podOf({}, { name: 'web.hypersdk', ownerReferences });
    expect(pod.metadata.name).toMatch(/^virt-launcher-web-.{5}$/);
    expect(pod.metadata.labels).toMatchObject({ vm: 'web' });
  });

  it('is selected only by the Services of its own group', () => {
    const labels = { 'hypersdk.io/vm': 'victim', 'novacron.io/vm': 'victim', app: 'a' };
    const labelsOf = (group: string) => {
      const owner = { apiVersion: `${group}/v1`, kind: 'VirtualMachine', name: 'web', uid: 'm', controller: true };
      return Object.keys(podOf({}, { labels, ownerReferences: [owner] }).metadata.labels ?? {});
    };
    expect(labelsOf('hypersdk.io')).toContain('hypersdk.io/vm');
    expect(labelsOf('hypersdk.io')).not.toContain('novacron.io/vm');
    for (const name of ['hypersdk.io/vm', 'novacron.io/vm']) expect(labelsOf('kubevirt.io')).not.toContain(name);
    expect(Object.keys(podOf({}, { labels }).metadata.labels ?? {})).not.toContain('hypersdk.io/vm');
    expect(labelsOf('kubevirt.io')).toContain('app');
  });

  it('has a name derived from the run, which fits and is unique', () => {
    const uid = fc.uuid();
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]([a-z0-9.-]{0,250}[a-z0-9])?$/), uid, uid, (name, one, other) => {
        const vm = vmi({}, { name });
        const made = launcherName(vm, one);
        expect(made).toBe(launcherName(vm, one));
        expect(made.length).toBeLessThanOrEqual(253);
        expect(made).toMatch(/^virt-launcher-.*[a-z0-9]-[a-z0-9]{5}$/);
        if (one !== other) expect(made).not.toBe(launcherName(vm, other));
      }),
    );
  });
});

describe('the volumes of a launcher', () => {
  it('are claims, as file systems or devices, and files from the cluster', () => {
    const volumes = [
      { name: 'root', persistentVolumeClaim: { claimName: 'disk', readOnly: true } },
      { name: 'data', dataVolume: { name: 'filled' } },
      { name: 'conf', configMap: { name: 'c', optional: true } },
      { name: 'key', secret: { secretName: 's' } },
      { name: 'init', cloudInitNoCloud: { secretRef: { name: 'user' }, networkData: 'x' } },
      { name: 'host', hostDisk: { path: '/data/disk.img', type: 'Disk' } },
      { name: 'image', containerDisk: { image: 'registry.example.com/disk' } },
      { name: 'scratch', emptyDisk: { capacity: '1Gi' } },
      { name: 'answers', sysprep: { configMap: { name: 'windows' } } },
      { name: 'access-credential-0', sysprep: { secret: { name: 'product' } } },
    ] as InstanceSpec['volumes'];
    const keysOf = (secretName: string) => ({
      sshPublicKey: { source: { secret: { secretName } }, propagationMethod: { noCloud: {} } },
    });
    const accessCredentials = [keysOf('keys'), keysOf('more'), keysOf('keys')];
    const spec = { volumes, accessCredentials } as Pick<InstanceSpec, 'volumes' | 'accessCredentials'>;
    expect(claimNames(spec)).toEqual(['disk', 'filled']);
    const block = (name: string) => ({ spec: { volumeMode: name === 'filled' ? 'Block' : 'Filesystem' } }) as never;
    const found = launcherVolumes(spec, block);
    expect(found.volumes).toEqual([
      { name: 'root', persistentVolumeClaim: { claimName: 'disk', readOnly: true } },
      { name: 'data', persistentVolumeClaim: { claimName: 'filled' } },
      { name: 'conf', configMap: { name: 'c', optional: true } },
      { name: 'key', secret: { secretName: 's' } },
      { name: 'init-udata', secret: { secretName: 'user' } },
      { name: 'host', hostPath: { path: '/data', type: 'DirectoryOrCreate' } },
      { name: 'answers', configMap: { name: 'windows' } },
      { name: 'access-credential-0', secret: { secretName: 'product' } },
      { name: 'access-credential-0-0', secret: { secretName: 'keys' } },
      { name: 'access-credential-1', secret: { secretName: 'more' } },
    ]);
    expect(found.devices).toEqual([{ name: 'data', devicePath: '/dev/data' }]);
    const mounted = found.volumes.map(({ name }) => name).filter((name) => name !== 'data');
    expect(found.mounts.map(({ name }) => name)).toEqual(mounted);
  });

  it('names the Secrets of disk images, each once, so that the node may read them', () => {
    const imageOf = (name: string, imagePullSecret: string) => ({
      name,
      containerDisk: { image: 'i', imagePullSecret },
    });
    const spec = { volumes: [imageOf('a', 'x'), imageOf('b', 'x'), imageOf('c', 'y')] };
    expect(imagePullSecrets(spec)).toEqual([{ name: 'x' }, { name: 'y' }]);
    const annotations = { 'vimana.io/image-secret': 'z' };
    expect(imagePullSecrets(spec, annotations)).toEqual([{ name: 'x' }, { name: 'y' }, { name: 'z' }]);
  });
});

describe('creating a launcher', () => {
  const taken = () => Promise.reject(new KubeError(409, 'AlreadyExists', 'taken'));
  const known = (uid: string): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid }] },
    spec: { containers: [] },
  });

  it('finds the one that was created before', async () => {
    const own = known('u-1');
    const client = { create: taken, get: () => Promise.resolve(own) } as unknown as Client;
    expect(await createLauncherPod(client, vmi(), 'u-1', podOf())).toBe(own);
  });

  it('skips a name that another object has', async () => {
    const tried: string[] = [];
    const client = {
      create: (_type: unknown, { metadata }: Pod) => {
        tried.push(metadata.name ?? '');
        return tried.length < 3 ? taken() : Promise.resolve(known('u-1'));
      },
      get: () => Promise.resolve(known('stranger')),
    } as unknown as Client;
    await createLauncherPod(client, vmi(), 'u-1', podOf());
    expect(new Set(tried).size).toBe(3);
  });
});
