import type { CelRule } from '#platform/schema/json-schema';
import { affinityOnHosts, nodeSelector, tolerations } from '#platform/schema/placement';
import { choice, integer, list, map, object, quantity, requiredField, string } from '#platform/schema/schema';
import { lifecycle } from './lifecycle.ts';
import { networkInterfaces } from './network-interface.ts';
import { requiredByRule } from './required-by-rule.ts';

const CPU = 'CPU must be at least 1';
const MEMORY = 'Memory must be at least 512Mi';
const IMAGE = 'Image source is required';

const resources = object('Size of the VM.', {
  cpu: requiredByRule(
    integer('Required. Number of virtual CPUs, at least 1.', {
      format: 'int32',
      rules: [{ rule: 'self >= 1', message: CPU }],
    }),
  ),
  memory: requiredByRule(
    quantity('Required. Memory of the guest, at least 512Mi.', {
      rules: [
        {
          // The pattern rejects a malformed quantity; comparing it here would only add a second error.
          rule: "type(self) == int ? self >= 536870912 : !isQuantity(self) || quantity(self).compareTo(quantity('512Mi')) >= 0",
          message: MEMORY,
        },
      ],
    }),
  ),
  disk: quantity(
    'Size of the root disk with the image. It can grow, but not shrink. Defaults to the size of the copied claim, or else to 10Gi.',
  ),
});

const image = object('What the VM boots from.', {
  source: requiredByRule(
    string(
      'Required. Source of the image: marketplace://name, an http:// or https:// URL, s3://bucket/key, or pvc://namespace/claim in the same namespace, which is copied. Simulated nodes do not fetch images.',
      {
        maxLength: 2048,
        rules: [
          {
            rule: "self == '' || self.matches('^(marketplace|https?|s3|pvc)://')",
            message: 'must begin with marketplace://, http://, https://, s3:// or pvc://',
          },
        ],
      },
    ),
  ),
  pullPolicy: choice('When the image is pulled. Defaults to IfNotPresent.', ['Always', 'IfNotPresent', 'Never']),
});

const volumes = list(
  'Additional disks. Like the root disk, each is on a PersistentVolumeClaim <vm>.novacron-<disk>. The claim is retained while the VM is stopped, and deleted with it unless the VM has the annotation novacron.io/retain-disks: "true".',
  object('A disk.', {
    name: requiredField(string('Name of the disk, unique in the VM.', { minLength: 1, maxLength: 63 })),
    size: requiredField(quantity('Size of the disk. It can grow, but not shrink.')),
    storageClass: string('StorageClass of the claim. Defaults to that of the cluster. Immutable once the disk exists.'),
    accessMode: choice(
      'How nodes may mount the disk. ReadWriteMany allows live migration. Immutable once the disk exists.',
      ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'],
      { default: 'ReadWriteOnce' },
    ),
  }),
  { keys: ['name'], maxItems: 64 },
);

const devices = list(
  'Host devices that are passed through to the VM. Not supported yet: a VM that uses them is not started.',
  object('A type of device.', {
    type: requiredField(choice('Type of device.', ['gpu', 'vgpu', 'fpga', 'nic', 'nvme', 'pci', 'usb'])),
    vendor: string('Vendor of the device. Defaults to any.', { maxLength: 63 }),
    model: string('Model of the device. Defaults to any.', { maxLength: 63 }),
    count: integer('Number of devices.', { format: 'int32', minimum: 1, default: 1 }),
  }),
  { maxItems: 32 },
);

/** Template of a VM, shared by VirtualMachine and VMPool. */
export const machineTemplate = object('Labels and spec of the VM.', {
  metadata: object(
    'Labels and annotations of the VM and its pod, except for labels that identify VMs: vm, hypersdk.io/vm, novacron.io/vm, kubevirt.io and kubevirt.io/*.',
    {
      labels: map('Labels.', string('A label value.')),
      annotations: map('Annotations.', string('An annotation value.')),
    },
  ),
  spec: requiredByRule(
    object('Specification of the VM.', {
      resources: requiredByRule(resources),
      image,
      networks: networkInterfaces,
      volumes,
      devices,
      userData: string('Cloud-init user data, at most 64 KiB.', { maxLength: 65536 }),
      nodeSelector,
      affinity: affinityOnHosts,
      tolerations,
      lifecycle,
    }),
  ),
});

const hasSpec = 'has(self.template) && has(self.template.spec)';

/** Returns the rules of a template's holder with its own messages, which apply even if parent objects are absent. */
export function templateRules(options: { readonly image: 'required' | 'optional' }): readonly CelRule[] {
  const path = 'self.template.spec';
  const hasSource = `has(${path}.image.source) && ${path}.image.source != ''`;
  return [
    {
      rule: `${hasSpec} && has(${path}.resources) && has(${path}.resources.cpu)`,
      message: CPU,
      reason: 'FieldValueRequired',
      fieldPath: '.template.spec.resources.cpu',
    },
    {
      rule: `${hasSpec} && has(${path}.resources) && has(${path}.resources.memory)`,
      message: MEMORY,
      reason: 'FieldValueRequired',
      fieldPath: '.template.spec.resources.memory',
    },
    {
      rule:
        options.image === 'required'
          ? `${hasSpec} && has(${path}.image) && ${hasSource}`
          : `!(${hasSpec} && has(${path}.image)) || (${hasSource})`,
      message: IMAGE,
      reason: 'FieldValueRequired',
      fieldPath: '.template.spec.image.source',
    },
  ];
}
