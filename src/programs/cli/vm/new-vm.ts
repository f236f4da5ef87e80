import { virtualMachine as hypersdk } from '#api/hypersdk/virtual-machine';
import { UsageError } from '#platform/base/errors';
import type { KubeObject } from '#platform/kube/kube-object';
import { definedFields, hasDefinedFields } from '../objects/defined-fields.ts';
import { type ChecksumFlag, type DiskFlag, disksOf } from '../objects/size-flags.ts';

export interface NewVm extends HyperSdkParts {
  readonly group: string;
  readonly name: string;
  /** If absent, whoever applies the object chooses the namespace. */
  readonly namespace?: string | undefined;
  readonly cpus: number;
  readonly memory: string;
  /** Image to boot from. A group that requires one has its own default. */
  readonly image?: string;
  readonly running: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** Fields that only VMs of hypersdk.io have. */
interface HyperSdkParts {
  readonly template?: string;
  readonly templateNamespace?: string;
  readonly checksum?: ChecksumFlag;
  readonly disk?: readonly DiskFlag[];
  /** User data for cloud-init. */
  readonly userData?: string;
}

/** Builds the smallest VirtualMachine of a group with this size. */
export function newVm(target: NewVm): KubeObject {
  const { group, name, namespace, labels } = target;
  if (group !== hypersdk.group) refuseParts(target);
  const version = group === 'kubevirt.io' ? 'v1' : 'v1alpha1';
  return {
    apiVersion: `${group}/${version}`,
    kind: 'VirtualMachine',
    metadata: {
      name,
      ...definedFields({ namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }),
    },
    spec: SPECS[group]?.(target) ?? {},
  };
}

const SPECS: Readonly<Record<string, (target: NewVm) => object>> = {
  'kubevirt.io': ({ cpus, memory, image = 'quay.io/containerdisks/fedora:latest', running }) => ({
    runStrategy: running ? 'Always' : 'Halted',
    template: {
      spec: {
        domain: {
          cpu: { cores: cpus },
          memory: { guest: memory },
          devices: {
            disks: [{ name: 'root', disk: { bus: 'virtio' } }],
            interfaces: [{ name: 'default', masquerade: {} }],
          },
        },
        networks: [{ name: 'default', pod: {} }],
        volumes: [{ name: 'root', containerDisk: { image } }],
      },
    },
  }),
  'hypersdk.io': ({ cpus, memory, running, image, template, templateNamespace, checksum, disk, userData }) => ({
    cpus,
    memory,
    running,
    ...definedFields({
      disks: disksOf(disk),
      image: hasDefinedFields({
        source: image,
        templateRef: hasDefinedFields({ name: template, namespace: templateNamespace }),
        checksum,
      }),
      cloudInit: hasDefinedFields({ userData }),
    }),
  }),
  'novacron.io': ({ cpus, memory, image = 'marketplace://ubuntu-22.04', running }) => ({
    running,
    template: { spec: { resources: { cpu: cpus, memory }, image: { source: image } } },
  }),
  'simulation.node-classifier.io': ({ cpus, memory, running }) => ({
    running,
    resources: { cpu: String(cpus), memory },
  }),
};

function refuseParts({ group, template, templateNamespace, checksum, disk, userData }: NewVm): void {
  const parts = Object.entries({
    '--template': template,
    '--template-namespace': templateNamespace,
    '--checksum': checksum,
    '--disk': disk,
    '--user-data': userData,
  }).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (parts.length === 0) return;
  throw new UsageError(`VMs of ${group} do not support ${parts.join(', ')}`, {
    hint: `--group ${hypersdk.group} supports them; for VMs of ${group}, write a manifest.`,
  });
}
