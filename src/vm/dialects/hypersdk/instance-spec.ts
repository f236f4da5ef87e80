import type { ClaimedDisk } from '#api/disk/claimed-disk';
import type { Disk } from '#api/hypersdk/disk';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { PreferredNodes } from '#vm/engine/vm-dependencies';
import { devicesOf } from './devices.ts';

type Spec = VirtualMachine['spec'];
type Devices = InstanceSpec['domain']['devices'];
type Volume = NonNullable<InstanceSpec['volumes']>[number];

/** Returns the instance of a VM in KubeVirt's terms. CPUs are sockets, which can be plugged in. */
export function instanceSpec(
  spec: Spec,
  disks: readonly ClaimedDisk<Disk>[],
  preferred: PreferredNodes | undefined,
): InstanceSpec {
  const { nodeSelector, tolerations } = spec;
  const affinity = affinityOf(spec.affinity, preferred);
  const drives = drivesOf(spec, disks);
  const cards = cardsOf(spec.networks);
  return {
    domain: {
      cpu: { sockets: spec.cpus, cores: 1, threads: 1 },
      memory: { guest: spec.memory },
      machine: { type: spec.machineType },
      ...firmwareOf(spec.firmware),
      devices: { ...drives.devices, ...cards.devices, ...devicesOf(spec) },
    },
    ...(drives.volumes.length === 0 ? {} : { volumes: drives.volumes }),
    ...(cards.networks === undefined ? {} : { networks: cards.networks }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(tolerations === undefined ? {} : { tolerations }),
    evictionStrategy: evictionOf(spec.highAvailability),
  };
}

/** Returns the eviction strategy. External lets a VM be shut down on a drain instead of evicted directly. */
function evictionOf(given: Spec['highAvailability']): NonNullable<InstanceSpec['evictionStrategy']> {
  if (given?.enabled !== true || given.evictionStrategy === 'None') return 'None';
  return given.evictionStrategy === 'Shutdown' ? 'External' : 'LiveMigrate';
}

function firmwareOf(given: Spec['firmware']): Partial<InstanceSpec['domain']> {
  if (given?.bootloader !== 'uefi') return {};
  const { secureBoot } = given;
  return {
    firmware: { bootloader: { efi: { secureBoot } } },
    ...(secureBoot ? { features: { smm: { enabled: true } } } : {}),
  };
}

function drivesOf(spec: Spec, disks: readonly ClaimedDisk<Disk>[]) {
  const shown = disks.map(({ disk: { name, type, bootOrder } }) => ({
    name,
    ...(bootOrder === undefined ? {} : { bootOrder }),
    ...(type === 'cdrom' ? { cdrom: { bus: 'sata', readonly: true } } : { disk: { bus: 'virtio' } }),
  }));
  const volumes = disks.map(
    ({ disk, claim }): Volume => ({
      name: disk.name,
      persistentVolumeClaim: { claimName: claim, ...(disk.type === 'cdrom' ? { readOnly: true } : {}) },
    }),
  );
  const seed = cloudInitVolume(spec.cloudInit, new Set(disks.map(({ disk }) => disk.name)));
  if (seed === undefined) return { devices: shown.length === 0 ? {} : ({ disks: shown } as Devices), volumes };
  const drive = { name: seed.name, disk: { bus: 'virtio' } };
  return { devices: { disks: [...shown, drive] } as Devices, volumes: [...volumes, seed] };
}

/** A guest reads network data only if there is user data. */
const NO_USER_DATA = '#cloud-config\n';

function cloudInitVolume(given: Spec['cloudInit'], taken: ReadonlySet<string>): Volume | undefined {
  if (given === undefined) return undefined;
  const { userData, networkData, secretRef } = given;
  const name = taken.has('cloudinit') ? 'cloudinit-seed' : 'cloudinit';
  if (secretRef !== undefined) {
    return { name, cloudInitNoCloud: { secretRef, networkDataSecretRef: secretRef } };
  }
  if (userData === undefined && networkData === undefined) return undefined;
  const data = { userData: userData ?? NO_USER_DATA, ...(networkData === undefined ? {} : { networkData }) };
  return { name, cloudInitNoCloud: data };
}

/** A bridge of a node is represented by a NetworkAttachmentDefinition with the name of the network. */
function cardsOf(given: Spec['networks'] = []): {
  readonly devices: Partial<Devices>;
  readonly networks?: NonNullable<InstanceSpec['networks']>;
} {
  if (given.length === 0) return { devices: {} };
  const interfaces = given.map(({ name, type, macAddress }) => ({
    name,
    ...(type === 'pod-network' ? { masquerade: {} } : { bridge: {} }),
    ...(macAddress === undefined ? {} : { macAddress }),
  }));
  const networks = given.map(({ name, type, multusNetworkName }) =>
    type === 'pod-network'
      ? { name, pod: {} }
      : { name, multus: { networkName: type === 'multus' ? (multusNetworkName ?? name) : name } },
  );
  return { devices: { interfaces }, networks };
}

function affinityOf(given: Spec['affinity'], preferred: PreferredNodes = []): InstanceSpec['affinity'] {
  if (preferred.length === 0) return given;
  const { nodeAffinity } = given ?? {};
  const { preferredDuringSchedulingIgnoredDuringExecution: own = [] } = nodeAffinity ?? {};
  return {
    ...given,
    nodeAffinity: { ...nodeAffinity, preferredDuringSchedulingIgnoredDuringExecution: [...own, ...preferred] },
  };
}
