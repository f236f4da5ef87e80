import { describe, expect, test } from 'vitest';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { formatFieldError } from '#platform/base/field-error';
import { admission } from '#vm/admission/admit';
import { virtualMachineInstanceAdmitter } from './virtual-machine-instance.ts';

const operator = 'operator';
const admit = admission(virtualMachineInstanceAdmitter);

const instance = {
  apiVersion: 'kubevirt.io/v1' as const,
  kind: 'VirtualMachineInstance' as const,
  metadata: { name: 'web', namespace: 'default', labels: {} as Record<string, string> },
  spec: virtualMachineInstance.example.spec,
};

function write(user: string, object: object, old?: object) {
  const { causes, warnings } = admit({
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    object: structuredClone(object),
    ...(old === undefined ? {} : { old: old as never }),
    user: { name: user, groups: user === 'root' ? ['system:masters'] : [] },
    // A superuser has this verb too.
    operates: () => user !== 'ada',
    lookup: () => undefined,
  });
  return { causes: causes.map(formatFieldError), warnings };
}

const bigger = {
  ...instance,
  spec: { ...instance.spec, domain: { ...instance.spec.domain, memory: { guest: '1Gi' } } },
};

describe('the spec of an instance', () => {
  test.each(['ada', 'root'])('can be changed only with the verb operate, not by %s', (user) => {
    expect(write(operator, bigger, instance).causes).toEqual([]);
    expect(write(user, bigger, instance).causes).toEqual([
      'spec: Forbidden: update of VMI object is restricted: change the VirtualMachine that it belongs to',
    ]);
  });

  test.each(['vimana.io/identity', 'vimana.io/node', 'vimana.io/launcher'])(
    'cannot be bypassed with the annotation %s',
    (name) => {
      const annotated = { ...instance, metadata: { ...instance.metadata, annotations: { [name]: '{}' } } };
      const cause = `metadata.annotations[${name}]: Forbidden: this annotation is reserved: only the operator may set it on an instance`;
      expect(write('ada', annotated).causes).toEqual([cause]);
      expect(write('ada', annotated, instance).causes).toEqual([cause]);
      expect(write('ada', annotated, annotated).causes).toEqual([]);
      expect(write(operator, annotated).causes).toEqual([]);
    },
  );

  test('is unchanged if only the order of its fields differs', () => {
    const { volumes, domain, ...rest } = instance.spec;
    expect(write('ada', { ...instance, spec: { volumes, ...rest, domain } }, instance).causes).toEqual([]);
  });

  test('is validated for the operator, too', () => {
    const broken = { ...instance, spec: { ...instance.spec, volumes: [] } };
    expect(write(operator, broken).causes).toEqual(['spec.domain.devices.disks[0].name: Not found: "root"']);
  });
});

describe('labels and annotations', () => {
  test('can be changed by users, except the labels that controllers select', () => {
    const labels = { app: 'web', 'kubevirt.io/nodeName': 'node-a' };
    const labelled = { ...instance, metadata: { ...instance.metadata, labels } };
    const rejected = [
      'metadata.labels[kubevirt.io/nodeName]: Forbidden: this label is reserved: only the operator may set it on an instance',
    ];
    expect(write('ada', labelled).causes).toEqual(rejected);
    expect(write('ada', labelled, instance).causes).toEqual(rejected);
    expect(write('ada', instance, labelled).causes).toEqual(rejected);
    expect(
      write('ada', { ...labelled, metadata: { ...labelled.metadata, labels: { ...labels, app: 'x' } } }, labelled)
        .causes,
    ).toEqual([]);
    expect(write(operator, labelled).causes).toEqual([]);
  });
});

describe('the size of cloud-init data', () => {
  test('is limited for users, but not for the operator, whose VMs may come from other groups', () => {
    const seed = { name: 'seed', cloudInitNoCloud: { userData: 'x'.repeat(4000) } };
    const disks = [...(instance.spec.domain.devices.disks ?? []), { name: 'seed' }];
    const domain = { ...instance.spec.domain, devices: { disks } };
    const large = {
      ...instance,
      spec: { ...instance.spec, domain, volumes: [...(instance.spec.volumes ?? []), seed] },
    };
    expect(write(operator, large).causes).toEqual([]);
    expect(write('ada', large).causes).toEqual([
      'spec.volumes[1].cloudInitNoCloud.userData: Too long: may not be more than 2048 bytes',
    ]);
  });
});

test('warnings name the ignored fields, except for the operator', () => {
  const exotic = { ...instance, spec: { ...instance.spec, architecture: 'arm64' } };
  expect(write('ada', exotic).warnings).toEqual(['spec.architecture: accepted, but nothing acts on it yet']);
  expect(write(operator, exotic).warnings).toEqual([]);
});
