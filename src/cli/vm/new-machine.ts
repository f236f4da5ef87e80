import type { KubeObject } from '../../kube/kube-object.ts';

export interface NewMachine {
  readonly group: string;
  readonly name: string;
  readonly namespace: string;
  readonly cpus: number;
  readonly memory: string;
  /** What it boots from; a group that cannot do without one has one of its own. */
  readonly image?: string;
  readonly running: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** The smallest VirtualMachine of a group that has this size. */
export function newMachine(asked: NewMachine): KubeObject {
  const { group, name, namespace, labels } = asked;
  const version = group === 'kubevirt.io' ? 'v1' : 'v1alpha1';
  return {
    apiVersion: `${group}/${version}`,
    kind: 'VirtualMachine',
    metadata: { name, namespace, ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }) },
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
  'hypersdk.io': ({ cpus, memory, image, running }) => ({
    cpus,
    memory,
    running,
    ...(image === undefined ? {} : { image: { source: image } }),
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
