import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { type VirtualMachine, virtualMachine } from '#api/hypersdk/virtual-machine';
import type { VMTemplateInput } from '#api/hypersdk/vm-template';
import { compileSchema } from '#platform/structural/structural-schema';

type Spec = VirtualMachine['spec'];
type Defaults = NonNullable<VMTemplateInput['spec']['defaultSpec']>;

const machines = compileSchema(virtualMachine.schema);
const image = { source: 'https://images.example.org/debian-12.qcow2', format: 'qcow2' as const };

/** Returns the spec of a VM as stored, with all schema defaults. */
function stored(spec: object): Spec {
  const { apiVersion, kind } = virtualMachine;
  const object = { apiVersion, kind, metadata: { name: 'web' }, spec: { cpus: 2, memory: '4Gi', ...spec } };
  machines.applyDefaults(object);
  return object.spec as unknown as Spec;
}

function expanded(own: object, defaultSpec: Defaults = {}, template: object = {}): Spec {
  return withTemplateDefaults(stored(own), {
    displayName: 'Debian',
    version: '1.0.0',
    image,
    defaultSpec,
    ...template,
  });
}

test('a VM gets the image of its template with its digest, and no longer refers to the template', () => {
  const checksum = { type: 'sha256' as const, value: 'a'.repeat(64) };
  const own = { image: { templateRef: { name: 'debian' } } };
  expect(expanded(own, { image: { source: 'other' } }, { image: { ...image, checksum } }).image).toEqual({
    source: image.source,
    checksum,
  });
});

test('size, power state and chipset are always those of the VM', () => {
  const defaults: Defaults = { cpus: 16, memory: '64Gi', running: false, machineType: 'pc' };
  expect(expanded({}, defaults)).toMatchObject({ cpus: 2, memory: '4Gi', running: true, machineType: 'q35' });
});

test('absent fields come from the template, and then from the defaults of the schema', () => {
  const { firmware, highAvailability, carbonAware } = expanded(
    {},
    { firmware: { bootloader: 'uefi' }, highAvailability: { enabled: true }, carbonAware: { enabled: true } },
  );
  expect(firmware).toEqual({ bootloader: 'uefi', secureBoot: false });
  expect(highAvailability).toMatchObject({ enabled: true, restartPolicy: 'Always', restartDelay: '30s' });
  expect(carbonAware).toMatchObject({ enabled: true, preferGreenEnergy: true, maxDelay: '4h' });
});

test('a VM can disable what its template enables', () => {
  const { highAvailability } = expanded(
    { highAvailability: { enabled: false } },
    { highAvailability: { enabled: true } },
  );
  expect(highAvailability?.enabled).toBe(false);
});

test('maps are merged by key, and lists without keys are replaced', () => {
  const toleration = (key: string) => ({ key, operator: 'Exists' as const });
  const spec = expanded(
    { labels: { app: 'shop' }, nodeSelector: { disk: 'nvme' }, tolerations: [toleration('gpu')] },
    { labels: { app: 'web', os: 'linux' }, nodeSelector: { zone: 'a' }, tolerations: [toleration('spot')] },
  );
  expect(spec).toMatchObject({
    labels: { app: 'shop', os: 'linux' },
    nodeSelector: { zone: 'a', disk: 'nvme' },
    tolerations: [toleration('gpu')],
  });
  expect(spec.tolerations).toHaveLength(1);
});

describe('disks', () => {
  const disk = (name: string, fields: object = {}) => ({ name, ...fields });

  test('are merged by name, those of the template first', () => {
    const { disks } = expanded(
      { disks: [disk('scratch', { size: '5Gi' }), disk('root', { size: '50Gi' })] },
      {
        disks: [disk('root', { size: '20Gi', storageClass: 'fast-ssd', bootOrder: 1 }), disk('data', { size: '1Ti' })],
      },
    );
    expect(disks).toEqual([
      { name: 'root', size: '50Gi', storageClass: 'fast-ssd', bootOrder: 1, type: 'disk' },
      { name: 'data', size: '1Ti', storageClass: 'standard', type: 'disk' },
      { name: 'scratch', size: '5Gi', storageClass: 'standard', type: 'disk' },
    ]);
  });

  test('keep the class of the VM, unless it is the default', () => {
    const classOf = (storageClass: string) =>
      expanded(
        { disks: [disk('root', { size: '50Gi', storageClass })] },
        { disks: [disk('root', { storageClass: 'fast-ssd' })] },
      ).disks?.[0]?.storageClass;
    expect([classOf('slow'), classOf('standard')]).toEqual(['slow', 'fast-ssd']);
  });

  test('have a size from the VM or the template', () => {
    const sizes = (template: object, disks?: Defaults['disks']) =>
      expanded({}, disks === undefined ? {} : { disks }, template).disks?.map(({ name, size }) => [name, size]);
    const advice = { recommendedResources: { minDiskSize: '8Gi' } };
    expect(sizes({ ...advice, image: { ...image, size: '12Gi' } })).toEqual([['root', '12Gi']]);
    expect(sizes(advice, [disk('system'), disk('data')])).toEqual([
      ['system', '8Gi'],
      ['data', '10Gi'],
    ]);
    expect(sizes({})).toEqual([['root', '10Gi']]);
  });

  test('of the VM precede those of the template in the boot order', () => {
    const { disks } = expanded(
      { disks: [disk('rescue', { size: '1Gi', bootOrder: 1 })] },
      { disks: [disk('root', { size: '20Gi', bootOrder: 1 }), disk('data', { size: '1Gi', bootOrder: 2 })] },
    );
    expect(disks?.map(({ name, bootOrder }) => [name, bootOrder])).toEqual([
      ['root', undefined],
      ['data', 2],
      ['rescue', 1],
    ]);
  });
});

describe('networks', () => {
  const lan = { name: 'lan', type: 'multus' as const, multusNetworkName: 'lan' };

  test('are merged by name', () => {
    const { networks } = expanded({ networks: [{ name: 'lan' }] }, { networks: [{ name: 'default' }, lan] });
    expect(networks).toEqual([{ name: 'default', type: 'pod-network' }, lan]);
  });

  test('have one interface on the pod network: that of the VM', () => {
    const { networks } = expanded({ networks: [{ name: 'net' }] }, { networks: [{ name: 'default' }, lan] });
    expect(networks).toEqual([lan, { name: 'net', type: 'pod-network' }]);
  });

  test('of a template share no hardware address', () => {
    const { networks } = expanded({}, { networks: [{ name: 'default', macAddress: '02:00:00:00:00:01' }] });
    expect(networks).toEqual([{ name: 'default', type: 'pod-network' }]);
  });

  test('are absent if neither has any', () => {
    expect('networks' in expanded({})).toBe(false);
  });
});

describe('cloud-init', () => {
  const fallback = { cloudInit: { defaultUserData: 'usual', defaultNetworkData: 'net' } };

  test('is that of the template if the VM has none', () => {
    expect(expanded({}, {}, fallback).cloudInit).toEqual({ userData: 'usual', networkData: 'net' });
    expect(expanded({}, { cloudInit: { userData: 'given' } }, fallback).cloudInit).toEqual({
      userData: 'given',
      networkData: 'net',
    });
    expect(expanded({}, { cloudInit: { secretRef: { name: 's' } } }, fallback).cloudInit).toEqual({
      secretRef: { name: 's' },
    });
  });

  test('is that of the VM if it has any, and never both text and a secret', () => {
    const text = { userData: 'own' };
    const secret = { secretRef: { name: 'own' } };
    expect(expanded({ cloudInit: text }, {}, fallback).cloudInit).toEqual({ ...text, networkData: 'net' });
    expect(expanded({ cloudInit: secret }, {}, fallback).cloudInit).toEqual(secret);
    expect(expanded({ cloudInit: text }, { cloudInit: { secretRef: { name: 's' } } }).cloudInit).toEqual(text);
  });
});

describe('features that a template requires', () => {
  const terms = (own: object) =>
    expanded(own, {}, { requiredFeatures: ['kvm'] }).affinity?.nodeAffinity
      ?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const kvm = { key: 'feature.vimana.io/kvm', operator: 'In', values: ['true'] };

  test('are required of nodes, except of simulated ones', () => {
    const keys = terms({}).map(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key));
    expect(keys).toEqual([['feature.vimana.io/kvm'], ['vimana.io/runtime'], ['type']]);
  });

  test('are added to the requirements of the VM', () => {
    const inZone = (zone: string) => ({ key: 'zone', operator: 'In', values: [zone] });
    const nodeSelectorTerms = ['a', 'b'].map((zone) => ({ matchExpressions: [inZone(zone)] }));
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    const found = terms({ affinity: { nodeAffinity: required } });
    expect(found).toHaveLength(6);
    expect(found[0]).toEqual({ matchExpressions: [inZone('a'), kvm] });
    expect(found[3]).toEqual({ matchExpressions: [inZone('b'), kvm] });
  });
});

test('a VM with inherited fields matches the schema, and inheriting again changes nothing', () => {
  const name = fc.constantFrom('root', 'data', 'scratch');
  const someDisks = fc.uniqueArray(
    fc.record(
      { name, size: fc.constantFrom('1Gi', '2Gi'), storageClass: fc.constantFrom('standard', 'fast-ssd') },
      { requiredKeys: ['name', 'size'] },
    ),
    { selector: (disk) => disk.name },
  );
  const someNetworks = fc.uniqueArray(fc.record({ name: fc.constantFrom('default', 'lan') }), {
    selector: (network) => network.name,
    maxLength: 1,
  });
  const some = fc.record(
    {
      disks: someDisks,
      networks: someNetworks,
      labels: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y')),
      firmware: fc.record({ bootloader: fc.constant('uefi' as const), secureBoot: fc.boolean() }),
      highAvailability: fc.record({ enabled: fc.boolean() }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(some, some, (own, defaults) => {
      const once = expanded(own, defaults);
      const { apiVersion, kind } = virtualMachine;
      const object = { apiVersion, kind, metadata: { name: 'web' }, spec: once };
      expect(machines.validate(object, undefined)).toEqual([]);
      expect(expanded(once, defaults)).toEqual(once);
    }),
  );
});
