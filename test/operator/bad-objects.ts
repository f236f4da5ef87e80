/** Invalid objects, each for another reason: some are rejected by the CRDs, others only by admission. */
export interface BadObject {
  readonly what: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly spec: object;
  };
}

const domain = { devices: {}, memory: { guest: '64Mi' } };
const vm = (template: object, more: object = { runStrategy: 'Halted' }) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  spec: { ...more, template: { spec: { domain, ...template } } },
});
const vmi = (spec: object) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  spec: { domain, ...spec },
});
const simulated = (spec: object) => ({
  apiVersion: 'simulation.node-classifier.io/v1alpha1',
  kind: 'VirtualMachine',
  spec: { resources: { cpu: '1', memory: '1Gi' }, ...spec },
});
const hypersdk = (spec: object) => ({ apiVersion: 'hypersdk.io/v1alpha1', kind: 'VirtualMachine', spec });
const novacron = (kind: string, spec: object) => ({ apiVersion: 'novacron.io/v1alpha1', kind, spec });
const disk = (name: string, more: object = {}) => ({ name, disk: {}, ...more });

const OBJECTS: Readonly<Record<string, Omit<BadObject['object'], 'metadata'>>> = {
  'two ways to say whether it runs': vm({}, { running: true, runStrategy: 'Always' }),
  'no way to say whether it runs': vm({}, {}),
  'an unknown strategy': vm({}, { runStrategy: 'Sometimes' }),
  'a negative number of cores': vm({ domain: { ...domain, cpu: { cores: -1 } } }),
  'memory that is no amount': vm({ domain: { devices: {}, memory: { guest: 'lots' } } }),
  'requests beyond limits': vm({
    domain: { devices: {}, resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } },
  }),
  'a disk without a volume': vm({ domain: { ...domain, devices: { disks: [disk('root')] } } }),
  'two disks of a name': vm({
    domain: { ...domain, devices: { disks: [disk('root'), disk('root')] } },
    volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }],
  }),
  'one order of booting twice': vm({
    domain: { ...domain, devices: { disks: [disk('a', { bootOrder: 1 }), disk('b', { bootOrder: 1 })] } },
    volumes: ['a', 'b'].map((name) => ({ name, emptyDisk: { capacity: '1Gi' } })),
  }),
  'a volume of nothing': vm({ volumes: [{ name: 'root' }] }),
  'a network without a card, and of nothing': vm({ networks: [{ name: 'x' }] }),
  'a card without a network': vm({
    domain: { ...domain, devices: { interfaces: [{ name: 'x', masquerade: {} }] } },
  }),
  'an address that is none': vm({
    domain: { ...domain, devices: { interfaces: [{ name: 'x', masquerade: {}, macAddress: 'nowhere' }] } },
    networks: [{ name: 'x', pod: {} }],
  }),
  'a label that is none': vm({ nodeSelector: { 'not a key': 'x' } }),
  'a toleration of nothing': vm({ tolerations: [{ key: 'a', operator: 'Perhaps' }] }),
  'an instance type': vm({}, { runStrategy: 'Halted', instancetype: { name: 'large' } }),
  'many things at once': vm(
    { domain: { devices: {}, cpu: { cores: -1 } }, networks: [{ name: 'x' }], nodeSelector: { 'not a key': 'x' } },
    { running: true, runStrategy: 'Always' },
  ),
  'an instance without memory': vmi({ domain: { devices: {} } }),
  'an instance with a volume that nothing shows': vmi({ volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }] }),
  'a probe of nothing': vmi({ readinessProbe: { initialDelaySeconds: -1 } }),
  'a migration of nothing': { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration', spec: {} },
  'a migration to nowhere': {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    spec: { vmiName: 'a', addedNodeSelector: { 'not a key': 'x' } },
  },
  'a simulated machine of no size': simulated({ resources: { cpu: 'much', memory: '-1Gi' } }),
  'a simulated machine of both forms': simulated({ resources: { cpu: '2500m', memory: '0.5' } }),
  'a simulated machine that is busier than it can be': simulated({ utilization: { cpu: '-1', memory: '2' } }),
  'a machine of hypersdk.io without anything': hypersdk({}),
  'a machine of hypersdk.io that is too small': hypersdk({ cpus: 0, memory: 'little' }),
  'a machine of novacron.io without anything': novacron('VirtualMachine', {}),
  'a network of novacron.io that is none': novacron('VMNetwork', {
    type: 'bridge',
    subnets: [{ cidr: '10.0.0.0/99' }],
  }),
  'a pool of novacron.io that shrinks': novacron('VMPool', { replicas: -1 }),
};

export const BAD_OBJECTS: readonly BadObject[] = Object.entries(OBJECTS).map(([what, object], at) => ({
  what,
  object: { ...object, metadata: { name: `bad-${at}` } },
}));
