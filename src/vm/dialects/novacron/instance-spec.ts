import type { ClaimedDisk } from '#api/disk/claimed-disk';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { ROOT_DISK } from '#api/novacron/claims';
import { POD_NETWORK } from '#api/novacron/network-interface';
import type { VirtualMachine } from '#api/novacron/virtual-machine';

type Spec = VirtualMachine['spec'];
type Machine = Spec['template']['spec'];
type Volume = NonNullable<InstanceSpec['volumes']>[number];

/** Returns the instance of a VM in KubeVirt's terms. CPUs are sockets, which can be plugged in. */
export function instanceSpec({ template }: Spec, disks: readonly ClaimedDisk[]): InstanceSpec {
  const { resources, nodeSelector, affinity, tolerations, networks = [] } = template.spec;
  const seed = seedOf(template.spec, disks);
  const drives = [...disks.map(driveOf), ...(seed === undefined ? [] : [{ name: seed.name, disk: { bus: 'virtio' } }])];
  return {
    domain: {
      cpu: { sockets: resources.cpu, cores: 1, threads: 1 },
      memory: { guest: resources.memory },
      devices: { disks: drives, ...(networks.length === 0 ? {} : { interfaces: networks.map(cardOf) }) },
    } as InstanceSpec['domain'],
    volumes: [...disks.map(volumeOf), ...(seed === undefined ? [] : [seed])],
    ...(networks.length === 0 ? {} : { networks: networks.map(networkOf) }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(tolerations === undefined ? {} : { tolerations }),
    // Live migration is not possible if the policy or the disks do not allow it.
    evictionStrategy: 'LiveMigrateIfPossible',
  };
}

const isFixed = ({ accessMode }: ClaimedDisk) => accessMode === 'ReadOnlyMany';

function driveOf(claimed: ClaimedDisk) {
  const { name } = claimed.disk;
  return {
    name,
    ...(name === ROOT_DISK ? { bootOrder: 1 } : {}),
    disk: { bus: 'virtio', ...(isFixed(claimed) ? { readonly: true } : {}) },
  };
}

function volumeOf(claimed: ClaimedDisk): Volume {
  const { disk, claim } = claimed;
  return {
    name: disk.name,
    persistentVolumeClaim: { claimName: claim, ...(isFixed(claimed) ? { readOnly: true } : {}) },
  };
}

function seedOf({ userData = '' }: Machine, disks: readonly ClaimedDisk[]): Volume | undefined {
  if (userData === '') return undefined;
  const taken = disks.some(({ disk }) => disk.name === 'cloudinit');
  return { name: taken ? 'cloudinit-seed' : 'cloudinit', cloudInitNoCloud: { userData } };
}

type Card = NonNullable<Machine['networks']>[number];

/** KubeVirt allows fewer characters in interface names than networks have. */
const cardName = (name: string) => name.replaceAll(/[^A-Za-z0-9_-]/g, '-');

const cardOf = ({ name }: Card) => ({
  name: cardName(name),
  ...(name === POD_NETWORK ? { masquerade: {} } : { bridge: {} }),
});

const networkOf = ({ name }: Card) =>
  name === POD_NETWORK ? { name, pod: {} } : { name: cardName(name), multus: { networkName: name } };
