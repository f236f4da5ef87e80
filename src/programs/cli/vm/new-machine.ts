import { virtualMachine as hypersdk } from '#api/hypersdk/virtual-machine';
import { UsageError } from '#platform/base/errors';
import type { KubeObject } from '#platform/kube/kube-object';
import { anyGiven, given } from '../objects/given.ts';
import { type ChecksumFlag, type DiskFlag, disksOf } from '../objects/size-flags.ts';

export interface NewMachine extends HyperSdkParts {
  readonly group: string;
  readonly name: string;
  /** Left to whoever applies the object where absent. */
  readonly namespace?: string | undefined;
  readonly cpus: number;
  readonly memory: string;
  /** What it boots from; a group that cannot do without one has one of its own. */
  readonly image?: string;
  readonly running: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** What only machines of hypersdk.io have. */
interface HyperSdkParts {
  readonly template?: string;
  readonly templateNamespace?: string;
  readonly checksum?: ChecksumFlag;
  readonly disk?: readonly DiskFlag[];
  /** Text for cloud-init. */
  readonly userData?: string;
}

/** The smallest VirtualMachine of a group that has this size. */
export function newMachine(asked: NewMachine): KubeObject {
  const { group, name, namespace, labels } = asked;
  if (group !== hypersdk.group) refuseParts(asked);
  const version = group === 'kubevirt.io' ? 'v1' : 'v1alpha1';
  return {
    apiVersion: `${group}/${version}`,
    kind: 'VirtualMachine',
    metadata: { name, ...given({ namespace }), ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }) },
    spec: SPECS[group]?.(asked) ?? {},
  };
}

const SPECS: Readonly<Record<string, (asked: NewMachine) => object>> = {
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
    ...given({
      disks: disksOf(disk),
      image: anyGiven({
        source: image,
        templateRef: anyGiven({ name: template, namespace: templateNamespace }),
        checksum,
      }),
      cloudInit: anyGiven({ userData }),
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

function refuseParts({ group, template, templateNamespace, checksum, disk, userData }: NewMachine): void {
  const parts = Object.entries({
    '--template': template,
    '--template-namespace': templateNamespace,
    '--checksum': checksum,
    '--disk': disk,
    '--user-data': userData,
  }).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (parts.length === 0) return;
  throw new UsageError(`machines of ${group} take no ${parts.join(', ')}`, {
    hint: `--group ${hypersdk.group} takes them; for machines of ${group} write a manifest.`,
  });
}
