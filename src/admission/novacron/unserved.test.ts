import { describe, expect, test } from 'vitest';
import { virtualMachine } from '../../api/novacron/virtual-machine.ts';
import { type VMNetwork, vmNetwork } from '../../api/novacron/vm-network.ts';
import { admissionTrial } from '../../testing/admission-trial.ts';
import { admission } from '../admit.ts';
import { virtualMachineAdmitter } from './virtual-machine.ts';

const trial = admissionTrial(virtualMachineAdmitter);
const { apiVersion, kind } = virtualMachine;
const AT = 'spec.template.spec';

function machine(spec: object = {}, more: object = {}, annotations: Record<string, string> = {}) {
  const image = { source: 'marketplace://debian-12' };
  const template = { spec: { resources: { cpu: 2, memory: '4Gi' }, image, ...spec } };
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'shop', annotations }, spec: { template, ...more } };
}

describe('what nothing can give a machine yet is refused by name, with what to do', () => {
  const hook = { exec: { command: ['/bin/true'] } };
  test.each<[string, object, string]>([
    [
      'a device',
      machine({ devices: [{ type: 'gpu' }] }),
      `${AT}.devices: Forbidden: is not served yet: leave devices of the host out`,
    ],
    [
      'a hook before the start',
      machine({ lifecycle: { preStart: hook } }),
      `${AT}.lifecycle.preStart: Forbidden: is not served yet: leave hooks out`,
    ],
    [
      'a hook before the stop',
      machine({ lifecycle: { preStop: hook } }),
      `${AT}.lifecycle.preStop: Forbidden: is not served yet: leave hooks out`,
    ],
    [
      'snapshots on a schedule',
      machine({}, { snapshotPolicy: { schedule: '@daily' } }),
      'spec.snapshotPolicy: Forbidden: is not served yet: leave it out, and take snapshots by VMSnapshot or VMOperation',
    ],
    [
      'an encrypted transfer',
      machine({}, { migrationPolicy: { encrypted: true } }),
      'spec.migrationPolicy.encrypted: Forbidden: is not served yet: transfers are not encrypted; set it to false',
    ],
    [
      'a card of the host',
      machine({ networks: [{ name: 'fast', type: 'sr-iov' }] }),
      `${AT}.networks[0].type: Forbidden: is not served yet: choose another type`,
    ],
    [
      'an address of its own',
      machine({ networks: [{ name: 'a' }, { name: 'b', ipv4: { method: 'static', address: '10.0.1.10/24' } }] }),
      `${AT}.networks[1].ipv4.method: Forbidden: is not served yet: use dhcp`,
    ],
    [
      'name servers of its own',
      machine({ networks: [{ name: 'a', ipv6: { dns: ['fd00::53'] } }] }),
      `${AT}.networks[0].ipv6.dns: Forbidden: is not served yet: leave name servers to the network`,
    ],
    [
      'a claim of another namespace',
      machine({ image: { source: 'pvc://golden/debian' } }),
      `${AT}.image.source: Forbidden: is not served yet: claims are copied within a namespace; name one in shop`,
    ],
    [
      'a volume in the place of the image',
      machine({ volumes: [{ name: 'root', size: '1Gi' }] }),
      `${AT}.volumes[0].name: Forbidden: is not served yet: root is the disk with the image; choose another name`,
    ],
  ])('%s', (_what, object, cause) => {
    expect(trial(object).causes).toEqual([cause]);
  });

  test('all at once', () => {
    const asked = machine({ devices: [{ type: 'gpu' }], lifecycle: { preStart: hook, preStop: hook } });
    expect(trial(asked).causes).toHaveLength(3);
  });
});

test.each<[string, object]>([
  ['policies that are off', machine({ devices: [], lifecycle: {} }, { migrationPolicy: { encrypted: false } })],
  ['a claim of its own namespace', machine({ image: { source: 'pvc://shop/debian' } })],
  [
    'a clone, whose disks are copies whatever its image was',
    machine({ image: { source: 'pvc://golden/debian' } }, {}, { 'vimana.io/disk-sources': '{}' }),
  ],
])('%s asks for nothing that is not served', (_what, object) => {
  expect(trial(object).causes).toEqual([]);
});

test('what was stored before it was refused stays, and nothing is added to it', () => {
  const [one, two] = [[{ type: 'gpu' }], [{ type: 'gpu' }, { type: 'usb' }]].map((devices) => machine({ devices }));
  const halted = machine({ devices: [{ type: 'gpu' }] }, { running: false });
  expect(trial(halted, one).causes).toEqual([]);
  expect(trial(two ?? {}, one).causes).toHaveLength(1);
  expect(trial(machine(), one).causes).toEqual([]);
});

describe('what has a harmless reading is taken, with a warning', () => {
  test.each([{ type: 'Recreate' }, { rollingUpdate: { maxUnavailable: 1 } }])('an update strategy %j', (strategy) => {
    const { causes, warnings } = trial(machine({}, { updateStrategy: strategy }));
    expect(causes).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('spec.updateStrategy is not served yet')]);
  });

  test('networks that are described and not made yet', () => {
    const described = { spec: { type: 'bridge' } } as unknown as VMNetwork;
    const admitted = admission(virtualMachineAdmitter)({
      operation: 'CREATE',
      object: machine({ networks: [{ name: 'default' }, { name: 'office' }, { name: 'other' }] }),
      user: { name: 'tester', groups: [] },
      lookup: ((asked: unknown, _namespace: string, name: string) =>
        asked === vmNetwork && name !== 'other' ? described : undefined) as never,
    });
    expect(admitted.causes).toEqual([]);
    expect(admitted.warnings).toEqual([
      `${AT}.networks[0]: nothing acts on VMNetwork default yet; the network of pods is used`,
      `${AT}.networks[1]: nothing acts on VMNetwork office yet; the NetworkAttachmentDefinition office is used`,
    ]);
  });
});

test('words for the disks of a machine are those that are understood', () => {
  expect(trial(machine({}, {}, { 'novacron.io/retain-disks': 'yes' })).causes).toEqual([
    'metadata.annotations[novacron.io/retain-disks]: Unsupported value: "yes": supported values: "true", "false"',
  ]);
  expect(trial(machine({}, {}, { 'novacron.io/disk-access-mode': 'ReadWriteOnce' })).causes).toEqual([]);
});
