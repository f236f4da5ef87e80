import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { claims, type Dependencies, DISK, desiredVm, type SpecInput } from './vm.fixture.ts';

type Spec = VirtualMachine['spec'];

const HA: NonNullable<Spec['highAvailability']> = {
  enabled: true,
  restartPolicy: 'Always',
  restartDelay: '15s',
  maxRestarts: 5,
  evictionStrategy: 'LiveMigrate',
};

describe('the desired VM of hypersdk.io', () => {
  it('has hot-pluggable sockets, and nothing that was not requested', () => {
    expect(desiredVm()).toEqual({
      runStrategy: 'Always',
      labels: { 'hypersdk.io/vm': 'web' },
      annotations: {},
      spec: {
        domain: {
          cpu: { sockets: 4, cores: 1, threads: 1 },
          memory: { guest: '8Gi' },
          machine: { type: 'q35' },
          devices: {},
        },
        evictionStrategy: 'None',
      },
      restarts: {
        when: 'never',
        delayMs: 0,
        max: 0,
        windowMs: 600_000,
        words: 'spec.highAvailability is not enabled',
      },
    });
    expect(desiredVm({ running: false }).runStrategy).toBe('Halted');
  });

  it('has the placement and the labels of its spec', () => {
    const nodeSelector = { disk: 'ssd' };
    const tolerations = [{ key: 'dedicated', operator: 'Exists' as const }];
    const given = desiredVm({ nodeSelector, tolerations, labels: { app: 'x' }, annotations: { note: 'y' } });
    expect(given.spec).toMatchObject({ nodeSelector, tolerations });
    expect(given.labels).toEqual({ app: 'x', 'hypersdk.io/vm': 'web' });
    expect(given.annotations).toEqual({ note: 'y' });
  });

  it('prefers the nodes with cleaner electricity, besides those of its own affinity', () => {
    const own = { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' as const }] } };
    const green = { weight: 9, preference: { matchExpressions: [{ key: 'z', operator: 'Exists' as const }] } };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [own] } };
    const carbon = { condition: { status: 'True', reason: 'Green', message: '' }, preferred: [green] } as const;
    expect(desiredVm({ affinity }, { carbon }).spec.affinity?.nodeAffinity).toEqual({
      preferredDuringSchedulingIgnoredDuringExecution: [own, green],
    });
  });

  it('has its disks on claims, in boot order', () => {
    const cd = { name: 'tools', size: '1Gi', storageClass: 'fast-ssd', type: 'cdrom', bootOrder: 1 } as const;
    const { spec } = desiredVm({ disks: [DISK, cd] });
    expect(spec.domain.devices.disks).toEqual([
      { name: 'root', disk: { bus: 'virtio' } },
      { name: 'tools', bootOrder: 1, cdrom: { bus: 'sata', readonly: true } },
    ]);
    expect(spec.volumes).toEqual([
      { name: 'root', persistentVolumeClaim: { claimName: 'web-root' } },
      { name: 'tools', persistentVolumeClaim: { claimName: 'web-tools', readOnly: true } },
    ]);
    expect(desiredVm({ image: { source: 'https://example.org/i.qcow2' } }).spec.volumes).toEqual(
      spec.volumes?.slice(0, 1),
    );
  });

  it.each<[string, Spec['cloudInit'], object]>([
    ['user data', { userData: 'x' }, { userData: 'x' }],
    ['network data alone', { networkData: 'n' }, { userData: '#cloud-config\n', networkData: 'n' }],
    ['a secret', { secretRef: { name: 's' } }, { secretRef: { name: 's' }, networkDataSecretRef: { name: 's' } }],
  ])('is configured by %s', (_what, cloudInit, expected) => {
    const { volumes, domain } = desiredVm({ cloudInit: cloudInit as never }).spec;
    expect(volumes).toEqual([{ name: 'cloudinit', cloudInitNoCloud: expected }]);
    expect(domain.devices.disks).toEqual([{ name: 'cloudinit', disk: { bus: 'virtio' } }]);
  });

  it('keeps the name of a disk that is named like the one for cloud-init', () => {
    const { volumes = [] } = desiredVm({ cloudInit: { userData: 'x' }, disks: [{ ...DISK, name: 'cloudinit' }] }).spec;
    expect(volumes.map(({ name }) => name)).toEqual(['cloudinit', 'cloudinit-seed']);
  });

  it('has an interface for each of its networks', () => {
    const { domain, networks } = desiredVm({
      networks: [
        { name: 'default', type: 'pod-network' },
        { name: 'lan', type: 'multus', multusNetworkName: 'net/lan', macAddress: '02:00:00:00:00:01' },
        { name: 'br0', type: 'bridge' },
      ],
    }).spec;
    expect(domain.devices.interfaces).toEqual([
      { name: 'default', masquerade: {} },
      { name: 'lan', bridge: {}, macAddress: '02:00:00:00:00:01' },
      { name: 'br0', bridge: {} },
    ]);
    expect(networks).toEqual([
      { name: 'default', pod: {} },
      { name: 'lan', multus: { networkName: 'net/lan' } },
      { name: 'br0', multus: { networkName: 'br0' } },
    ]);
  });

  it.each<[object, object]>([
    [{ bootloader: 'bios', secureBoot: false }, {}],
    [{ bootloader: 'uefi', secureBoot: false }, { firmware: { bootloader: { efi: { secureBoot: false } } } }],
    [
      { bootloader: 'uefi', secureBoot: true },
      { firmware: { bootloader: { efi: { secureBoot: true } } }, features: { smm: { enabled: true } } },
    ],
  ])('has the firmware %j', (firmware, expected) => {
    const { firmware: made, features } = desiredVm({ firmware }).spec.domain;
    expect({ ...(made && { firmware: made }), ...(features && { features }) }).toEqual(expected);
  });

  it('has no guest agent if that is disabled', () => {
    expect(desiredVm({ guestAgent: { enabled: false } }).annotations).toEqual({ 'vimana.io/guest-agent': 'false' });
  });

  it('requests devices by their resource names', () => {
    const { gpus, ...others } = desiredVm({
      gpus: [
        { name: 'g', resourceName: 'nvidia.com/A100', count: 2 },
        { vendor: 'AMD' },
        { vendor: 'nvidia', model: 'T4' },
      ],
      usbDevices: [{ name: 'key', resourceName: 'example.com/key' }],
    }).spec.domain.devices;
    expect(gpus).toEqual([
      { name: 'g', deviceName: 'nvidia.com/A100' },
      { name: 'g-2', deviceName: 'nvidia.com/A100' },
      { name: 'gpu2', deviceName: 'amd.com/gpu' },
      { name: 'gpu3', deviceName: 'nvidia.com/T4' },
    ]);
    expect(others).toEqual({ hostDevices: [{ name: 'key', deviceName: 'example.com/key' }] });
  });

  it.each<[NonNullable<Spec['highAvailability']>, string, boolean, object]>([
    [HA, 'LiveMigrate', false, { when: 'always', delayMs: 15_000, max: 5 }],
    [{ ...HA, evictionStrategy: 'Shutdown', restartPolicy: 'OnFailure' }, 'External', true, { when: 'onFailure' }],
    [{ ...HA, evictionStrategy: 'None', restartPolicy: 'Never' }, 'None', false, { when: 'never' }],
    [{ ...HA, enabled: false, evictionStrategy: 'Shutdown' }, 'None', false, { when: 'never', max: 0 }],
  ])('has its eviction strategy and restarts by %j', (highAvailability, eviction, leaves, restarts) => {
    const given = desiredVm({ highAvailability });
    expect(given.spec.evictionStrategy).toBe(eviction);
    expect(given.evacuatesByRestart === true).toBe(leaves);
    expect(given.restarts).toMatchObject(restarts);
  });
});

describe('whether a VM of hypersdk.io is blocked', () => {
  const disks = [DISK];
  it.each<[string, SpecInput, Dependencies, object | undefined]>([
    [
      'by a claim of another owner',
      { disks },
      claims({ name: 'web-root', state: 'taken', message: 'no' }),
      { reason: 'ClaimTaken', message: 'no' },
    ],
    [
      'by a missing claim that it copies',
      { disks },
      claims({ name: 'web-root', state: 'missing', reason: 'NotFound', message: 'x' }),
      { reason: 'NotFound', message: 'x' },
    ],
    ['until its claim is created', { disks }, claims(), { reason: 'ClaimMissing', transient: true }],
    [
      'by a device with vendor and product ids',
      { usbDevices: [{ name: 'k', vendorId: '0529', productId: '0001' }] },
      {},
      { reason: 'DeviceNotSupported' },
    ],
    ['by a device with an invalid resource name', { gpus: [{ name: 'g' }] }, {}, { reason: 'DeviceNotSupported' }],
    [
      'by a missing template',
      { image: { templateRef: { name: 't' } } },
      { template: 'missing' },
      { reason: 'NotFound' },
    ],
    [
      'but not by its claim, bound or not',
      { disks },
      claims({ name: 'web-root', state: 'pending', waits: true }),
      undefined,
    ],
  ])('%s', (_what, spec, dependencies, expected) => {
    const { blocked } = desiredVm(spec, dependencies);
    if (expected === undefined) expect(blocked).toBeUndefined();
    else expect(blocked).toMatchObject(expected);
  });

  it('until a claim with immediate binding is bound', () => {
    const pending = { name: 'web-root', state: 'pending', reason: 'ClaimPending', message: 'm' } as const;
    expect(desiredVm({ disks }, claims(pending)).blocked).toEqual({
      reason: 'ClaimPending',
      message: 'm',
      transient: true,
    });
  });
});
