import type { ExtensionResource } from '#platform/kube/api-extension';

/** Subresources of KubeVirt that are served here, and those that are rejected by name. */
export const SUBRESOURCES_GROUP = 'subresources.kubevirt.io';
export const VERSIONS = ['v1', 'v1alpha3'] as const;

const VM = { plural: 'virtualmachines', kind: 'VirtualMachine' };
const INSTANCE = { plural: 'virtualmachineinstances', kind: 'VirtualMachineInstance' };

/** Subresources by the verb that a role must allow: PUT is update, GET is get. A connection to a guest is a GET too. */
export const SERVED = {
  machine: {
    update: ['start', 'stop', 'restart', 'migrate'],
    get: ['expand-spec'],
    connect: ['portforward'],
  },
  instance: {
    update: ['pause', 'unpause', 'freeze', 'unfreeze', 'reset', 'softreboot'],
    get: ['guestosinfo', 'userlist', 'filesystemlist'],
    connect: ['console', 'vnc', 'portforward'],
  },
} as const;

export const NOT_IMPLEMENTED = {
  machine: {
    update: ['addvolume', 'removevolume', 'memorydump', 'removememorydump', 'evacuate'],
    get: ['objectgraph'],
    connect: [],
  },
  instance: {
    update: ['addvolume', 'removevolume', 'evacuate', 'backup'],
    get: ['objectgraph', 'usbredir', 'vsock', 'sev'],
    connect: [],
  },
} as const;

/** Resources of the cluster: its version, for virtctl, and the image of guestfs, which is rejected by name. */
export const CLUSTER_RESOURCES = ['version', 'guestfs'] as const;

export const RESOURCES: readonly ExtensionResource[] = [
  ...[SERVED, NOT_IMPLEMENTED].flatMap(({ machine: vm, instance }) => [
    ...entries(VM, vm),
    ...entries(INSTANCE, instance),
  ]),
  ...CLUSTER_RESOURCES.map((name) => ({ name, namespaced: false, kind: 'Version', verbs: ['get', 'list'] })),
];

function entries(
  { plural, kind }: typeof VM,
  served: Readonly<Record<'update' | 'get' | 'connect', readonly string[]>>,
): ExtensionResource[] {
  return (['update', 'get', 'connect'] as const).flatMap((how) =>
    served[how].map((name) => ({
      name: `${plural}/${name}`,
      namespaced: true,
      kind,
      kindOf: { group: 'kubevirt.io', version: 'v1' },
      verbs: [how === 'connect' ? 'get' : how],
    })),
  );
}
