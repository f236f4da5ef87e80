import type { CelRule } from '#platform/schema/json-schema';
import { affinityOnHosts, nodeSelector, tolerations } from '#platform/schema/placement';
import { choice, integer, list, map, object, quantity, required, string } from '#platform/schema/schema';
import { lifecycle } from './lifecycle.ts';
import { networkInterfaces } from './network-interface.ts';
import { requiredByRule } from './required-by-rule.ts';

const CPU = 'CPU must be at least 1';
const MEMORY = 'Memory must be at least 512Mi';
const IMAGE = 'Image source is required';

const resources = object('Size of the machine.', {
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
    'Size of the root disk, which the image is put on; it may grow later, never shrink. When left out, that of the claim that it is a copy of, else 10Gi.',
  ),
});

const image = object('What the machine boots from.', {
  source: requiredByRule(
    string(
      'Required. Where the image is: marketplace://name, http:// or https:// with a URL, s3://bucket/key, or pvc://namespace/claim of the own namespace, which is copied. Other images are named, and not fetched by simulated nodes.',
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
  pullPolicy: choice('Whether a copy on the node is good enough; left out, IfNotPresent.', [
    'Always',
    'IfNotPresent',
    'Never',
  ]),
});

const volumes = list(
  'Further disks. As the root disk, each is on a PersistentVolumeClaim <machine>.novacron-<disk> that stays while the machine is off and goes with it, unless the machine has the annotation novacron.io/retain-disks: "true".',
  object('A disk.', {
    name: required(string('Name of the disk, unique in the machine.', { minLength: 1, maxLength: 63 })),
    size: required(quantity('Size of the disk; it may grow later, never shrink.')),
    storageClass: string(
      "Storage class of the claim; the cluster's default when left out. Fixed once the disk exists.",
    ),
    accessMode: choice(
      'How nodes may mount the disk; ReadWriteMany lets the machine migrate live. Fixed once the disk exists.',
      ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'],
      { default: 'ReadWriteOnce' },
    ),
  }),
  { keys: ['name'], maxItems: 64 },
);

const devices = list(
  'Devices of the host that are handed to the machine. Not served yet: a machine that asks for it is not started.',
  object('A kind of device.', {
    type: required(choice('What kind of device it is.', ['gpu', 'vgpu', 'fpga', 'nic', 'nvme', 'pci', 'usb'])),
    vendor: string('Vendor of the device; any when left out.', { maxLength: 63 }),
    model: string('Model of the device; any when left out.', { maxLength: 63 }),
    count: integer('How many of them.', { format: 'int32', minimum: 1, default: 1 }),
  }),
  { maxItems: 32 },
);

/** Template of a VM, shared by VirtualMachine and VMPool. */
export const machineTemplate = object('The machine: its labels and what it is made of.', {
  metadata: object(
    'Labels and annotations that the machine and its pod get, but for labels by which machines are found: vm, hypersdk.io/vm, novacron.io/vm, kubevirt.io and those of kubevirt.io/.',
    {
      labels: map('Labels.', string('A label value.')),
      annotations: map('Annotations.', string('An annotation value.')),
    },
  ),
  spec: requiredByRule(
    object('What the machine is made of.', {
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
