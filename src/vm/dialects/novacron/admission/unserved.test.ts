import { describe, expect, test } from 'vitest';
import { virtualMachine } from '#api/novacron/virtual-machine';
import { type VMNetwork, vmNetwork } from '#api/novacron/vm-network';
import { admissionTrial } from '#testing/admission-trial';
import { admission } from '#vm/admission/admit';
import { virtualMachineAdmitter } from './virtual-machine.ts';

const trial = admissionTrial(virtualMachineAdmitter);
const { apiVersion, kind } = virtualMachine;
const AT = 'spec.template.spec';

function machine(spec: object = {}, more: object = {}, annotations: Record<string, string> = {}) {
  const image = { source: 'marketplace://debian-12' };
  const template = { spec: { resources: { cpu: 2, memory: '4Gi' }, image, ...spec } };
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'shop', annotations }, spec: { template, ...more } };
}

const NOT_STARTED = 'is not supported yet, and the VM will not start with it';

describe('features that are not supported yet get a warning by name, with a remedy:', () => {
  const hook = { exec: { command: ['/bin/true'] } };
  test.each<[string, object, string]>([
    ['a device', machine({ devices: [{ type: 'gpu' }] }), `${AT}.devices ${NOT_STARTED}: remove host devices`],
    [
      'a hook before the start',
      machine({ lifecycle: { preStart: hook } }),
      `${AT}.lifecycle.preStart ${NOT_STARTED}: remove hooks`,
    ],
    [
      'a hook before the stop',
      machine({ lifecycle: { preStop: hook } }),
      `${AT}.lifecycle.preStop ${NOT_STARTED}: remove hooks`,
    ],
    [
      'snapshots on a schedule',
      machine({}, { snapshotPolicy: { schedule: '@daily' } }),
      `spec.snapshotPolicy ${NOT_STARTED}: remove it, and take snapshots with VMSnapshot or VMOperation`,
    ],
    [
      'an encrypted transfer',
      machine({}, { migrationPolicy: { encrypted: true } }),
      `spec.migrationPolicy.encrypted ${NOT_STARTED}: transfers are not encrypted; set it to false`,
    ],
    [
      'a network interface of the host',
      machine({ networks: [{ name: 'fast', type: 'sr-iov' }] }),
      `${AT}.networks[0].type ${NOT_STARTED}: choose another type`,
    ],
    [
      'a static address',
      machine({ networks: [{ name: 'a' }, { name: 'b', ipv4: { method: 'static', address: '10.0.1.10/24' } }] }),
      `${AT}.networks[1].ipv4.method ${NOT_STARTED}: use dhcp`,
    ],
    [
      'custom name servers',
      machine({ networks: [{ name: 'a', ipv6: { dns: ['fd00::53'] } }] }),
      `${AT}.networks[0].ipv6.dns ${NOT_STARTED}: remove name servers; those of the network are used`,
    ],
    [
      'a claim of another namespace',
      machine({ image: { source: 'pvc://golden/debian' } }),
      `${AT}.image.source ${NOT_STARTED}: claims are copied within a namespace; name one in shop`,
    ],
  ])('%s', (_what, object, warning) => {
    expect(trial(object)).toMatchObject({ causes: [], warnings: [warning] });
  });

  test('all of them at once', () => {
    const requested = machine({ devices: [{ type: 'gpu' }], lifecycle: { preStart: hook, preStop: hook } });
    expect(trial(requested).warnings).toHaveLength(3);
  });
});

test.each<[string, object]>([
  ['a VM with disabled policies', machine({ devices: [], lifecycle: {} }, { migrationPolicy: { encrypted: false } })],
  ['a VM with a claim of its own namespace', machine({ image: { source: 'pvc://shop/debian' } })],
])('%s requests nothing unsupported', (_what, object) => {
  expect(trial(object)).toMatchObject({ causes: [], warnings: [] });
});

test('a change gets warnings only about what it adds', () => {
  const [one, two] = [[{ type: 'gpu' }], [{ type: 'gpu' }, { type: 'usb' }]].map((devices) => machine({ devices }));
  const halted = machine({ devices: [{ type: 'gpu' }] }, { running: false });
  expect(trial(halted, one).warnings).toEqual([]);
  expect(trial(two ?? {}, one).warnings).toHaveLength(1);
  expect(trial(machine(), one).warnings).toEqual([]);
});

describe('values with a harmless interpretation are accepted with a warning:', () => {
  test.each([{ type: 'Recreate' }, { rollingUpdate: { maxUnavailable: 1 } }])('an update strategy %j', (strategy) => {
    const { causes, warnings } = trial(machine({}, { updateStrategy: strategy }));
    expect(causes).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('spec.updateStrategy is not supported yet')]);
  });

  test('networks that are described but not created yet', () => {
    const described = { spec: { type: 'bridge' } } as unknown as VMNetwork;
    const admitted = admission(virtualMachineAdmitter)({
      operation: 'CREATE',
      object: machine({ networks: [{ name: 'default' }, { name: 'office' }, { name: 'other' }] }),
      user: { name: 'tester', groups: [] },
      lookup: ((requested: unknown, _namespace: string, name: string) =>
        requested === vmNetwork && name !== 'other' ? described : undefined) as never,
    });
    expect(admitted.causes).toEqual([]);
    expect(admitted.warnings).toEqual([
      `${AT}.networks[0]: VMNetwork default is not supported yet; the pod network is used`,
      `${AT}.networks[1]: VMNetwork office is not supported yet; the NetworkAttachmentDefinition office is used`,
    ]);
  });
});

test('only supported annotations for the disks of a VM are accepted', () => {
  expect(trial(machine({}, {}, { 'novacron.io/retain-disks': 'yes' })).causes).toEqual([
    'metadata.annotations[novacron.io/retain-disks]: Unsupported value: "yes": supported values: "true", "false"',
  ]);
  expect(trial(machine({}, {}, { 'novacron.io/disk-access-mode': 'ReadWriteOnce' })).causes).toEqual([]);
});
