import { conditions } from '#platform/schema/conditions';
import type { InputOf, ObjectOf } from '#platform/schema/kind';
import { defineKind } from '#platform/schema/kind';
import {
  boolean,
  choice,
  dateTime,
  integer,
  list,
  object,
  quantity,
  requiredField,
  string,
} from '#platform/schema/schema';
import { cloudInitDefaults } from './cloud-init.ts';
import { checksum, imageSource } from './image.ts';
import { observedGeneration } from './observed-generation.ts';
import { partial } from './partial.ts';
import { virtualMachineSpec } from './virtual-machine-spec.ts';

const spec = object('Image and default settings of VMs that use this template.', {
  displayName: requiredField(string('Display name.', { minLength: 1, maxLength: 128 })),
  description: string('Description of the template.', { maxLength: 4096 }),
  version: string(
    'Semantic version of the template, which the instances created from it record. A change of the template applies to a VM at its next start, whatever the version.',
    { default: '1.0.0', maxLength: 128 },
  ),
  tags: list('Keywords for searching.', string('A keyword.', { minLength: 1, maxLength: 63 }), {
    type: 'set',
    maxItems: 64,
  }),
  icon: string('Address of an icon, or an emoji.', { maxLength: 2048 }),
  osInfo: object('Operating system in the image.', {
    type: choice('Family of the operating system.', ['linux', 'windows', 'other']),
    distribution: string('Distribution, such as ubuntu.', { maxLength: 63 }),
    version: string('Version of the operating system, such as 22.04.', { maxLength: 63 }),
  }),
  defaultSpec: partial(
    'Defaults for VMs: merged field by field, maps by key, disks, networks and USB devices by name. Settings of the VM take precedence, except for defaults of a disk or network (storageClass, type), which the template overrides. Fields that a VirtualMachine always has (cpus, memory, running, machineType) are suggestions for tools that create one.',
    virtualMachineSpec,
  ),
  image: requiredField(
    object('Image that VMs boot from.', {
      source: requiredField(imageSource),
      format: choice('Format of the image file.', ['qcow2', 'raw', 'vmdk', 'vdi', 'vhdx'], { default: 'qcow2' }),
      size: quantity('Virtual size of the image. The first disk must be at least as large.'),
      checksum,
    }),
  ),
  cloudInit: cloudInitDefaults,
  requiredFeatures: list(
    'Features that a node must have, such as kvm or sriov: nodes with the label feature.vimana.io/kvm=true, and all simulated nodes.',
    string('A feature.', { minLength: 1, maxLength: 63 }),
    { type: 'set', maxItems: 32 },
  ),
  recommendedResources: object('Minimum resources for the image.', {
    minCpus: integer('Virtual CPUs.', { format: 'int32', minimum: 1 }),
    minMemory: quantity('Memory.'),
    minDiskSize: quantity('Capacity of the first disk.'),
  }),
});

const status = object('Observed state of the template.', {
  observedGeneration,
  ready: boolean('Whether VMs can use it.'),
  size: string('Size of the image: that of its file if it was checked, otherwise the capacity in spec.image.'),
  lastUpdated: dateTime('When the image was last checked, or the template last changed.'),
  usageCount: integer('VMs that currently use the template.', { format: 'int32', minimum: 0 }),
  conditions: conditions('Valid, ImageAccessible, Ready, InUse (by which VMs)'),
});

export const vmTemplate = defineKind({
  group: 'hypersdk.io',
  versions: ['v1alpha1'],
  kind: 'VMTemplate',
  plural: 'vmtemplates',
  shortNames: ['vmt', 'vmtpl'],
  description: 'An image with default settings for the VMs that use it.',
  spec,
  status,
  columns: [
    { name: 'Display Name', type: 'string', path: '.spec.displayName', description: 'Display name.' },
    { name: 'OS', type: 'string', path: '.spec.osInfo.distribution', description: 'Operating system in the image.' },
    { name: 'Version', type: 'string', path: '.spec.version', description: 'Version of the template.' },
    { name: 'Ready', type: 'boolean', path: '.status.ready', description: 'Whether VMs can use it.' },
    { name: 'Usage', type: 'integer', path: '.status.usageCount', description: 'VMs that currently use it.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'debian-12',
    spec: {
      displayName: 'Debian 12',
      osInfo: { type: 'linux', distribution: 'debian', version: '12' },
      defaultSpec: { cpus: 2, memory: '2Gi', disks: [{ name: 'root', size: '20Gi' }] },
      image: { source: 'https://images.example.org/debian-12.qcow2' },
    },
  },
});

export type VMTemplate = ObjectOf<typeof vmTemplate>;
export type VMTemplateInput = InputOf<typeof vmTemplate>;
