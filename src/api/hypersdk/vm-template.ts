import { conditions } from '#platform/schema/conditions';
import type { InputOf, ObjectOf } from '#platform/schema/kind';
import { defineKind } from '#platform/schema/kind';
import { boolean, choice, integer, list, object, quantity, required, string, timestamp } from '#platform/schema/schema';
import { cloudInitDefaults } from './cloud-init.ts';
import { checksum, imageSource } from './image.ts';
import { observedGeneration } from './observed-generation.ts';
import { partial } from './partial.ts';
import { virtualMachineSpec } from './virtual-machine-spec.ts';

const spec = object('What machines made from this template get.', {
  displayName: required(string('Name for people.', { minLength: 1, maxLength: 128 })),
  description: string('What the template is good for.', { maxLength: 4096 }),
  version: string(
    'Semantic version of the template, told by the instances made from it. A change of the template, whatever its version, reaches a machine with its next start.',
    { default: '1.0.0', maxLength: 128 },
  ),
  tags: list('Words to find the template by.', string('A word.', { minLength: 1, maxLength: 63 }), {
    type: 'set',
    maxItems: 64,
  }),
  icon: string('Address of a picture, or an emoji.', { maxLength: 2048 }),
  osInfo: object('Operating system in the image.', {
    type: choice('Family of the operating system.', ['linux', 'windows', 'other']),
    distribution: string('Distribution, such as ubuntu.', { maxLength: 63 }),
    version: string('Version of the operating system, such as 22.04.', { maxLength: 63 }),
  }),
  defaultSpec: partial(
    'Settings for machines that leave them out: field by field, maps by key, disks, networks and USB devices by name. What stands in a machine counts, but for the defaults of a disk or network (storageClass, type), which give way to the template. Fields that a VirtualMachine always has (cpus, memory, running, machineType) are suggestions for tools that write one.',
    virtualMachineSpec,
  ),
  image: required(
    object('The image that machines boot from.', {
      source: required(imageSource),
      format: choice('Format of the image file.', ['qcow2', 'raw', 'vmdk', 'vdi', 'vhdx'], { default: 'qcow2' }),
      size: quantity('Capacity that the image unfolds to; a first disk is at least as large.'),
      checksum,
    }),
  ),
  cloudInit: cloudInitDefaults,
  requiredFeatures: list(
    'Features that a node must have, such as kvm or sriov: nodes with the label feature.vimana.io/kvm=true, and all that only play.',
    string('A feature.', { minLength: 1, maxLength: 63 }),
    { type: 'set', maxItems: 32 },
  ),
  recommendedResources: object('The least that the image runs well with.', {
    minCpus: integer('Virtual CPUs.', { format: 'int32', minimum: 1 }),
    minMemory: quantity('Memory.'),
    minDiskSize: quantity('Capacity of the first disk.'),
  }),
});

const status = object('What is known of the template.', {
  observedGeneration,
  ready: boolean('Whether machines can be made from it.'),
  size: string('Size of the image: of its file where somebody has looked, else the capacity that spec.image tells.'),
  lastUpdated: timestamp('When the image was last looked for, or the template last changed.'),
  usageCount: integer('Machines that refer to the template now.', { format: 'int32', minimum: 0 }),
  conditions: conditions('Valid, ImageAccessible, Ready, InUse (by which machines)'),
});

export const vmTemplate = defineKind({
  group: 'hypersdk.io',
  versions: ['v1alpha1'],
  kind: 'VMTemplate',
  plural: 'vmtemplates',
  shortNames: ['vmt', 'vmtpl'],
  description: 'An image with the settings that machines made from it usually have.',
  spec,
  status,
  columns: [
    { name: 'Display Name', type: 'string', path: '.spec.displayName', description: 'Name for people.' },
    { name: 'OS', type: 'string', path: '.spec.osInfo.distribution', description: 'Operating system in the image.' },
    { name: 'Version', type: 'string', path: '.spec.version', description: 'Version of the template.' },
    { name: 'Ready', type: 'boolean', path: '.status.ready', description: 'Whether machines can be made from it.' },
    { name: 'Usage', type: 'integer', path: '.status.usageCount', description: 'Machines that refer to it now.' },
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
