import { IDENTITY_ANNOTATION } from '#api/instance-request';
import type { Vmi } from '#api/kubevirt/resources';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { parseLauncherSize } from '#api/launcher-size';
import { parseQuantity, value } from '#platform/base/quantity';
import type { Pod } from '#platform/kube/kinds/pod';

export interface CpuTopology {
  readonly sockets: number;
  readonly cores: number;
  readonly threads: number;
}

export interface MachineDisk {
  readonly name: string;
  readonly target: 'disk' | 'cdrom' | 'lun';
  readonly bus: string;
  readonly readonly: boolean;
  readonly bootOrder?: number;
  /** Volume behind the disk, as the instance names it. */
  readonly volume: NonNullable<InstanceSpec['volumes']>[number];
}

export interface MachineNic {
  readonly name: string;
  readonly mac: string;
  /** IP address for the guest. Unset on networks whose addresses are not assigned here. */
  readonly ip?: string;
  readonly model: string;
}

/** Specification of a machine for its driver. Of Kubernetes it contains only the owner. */
export interface MachineSpec {
  /** UID of the instance, which identifies one run on any node. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly namespace: string;
  /** Host name of the guest. Defaults to the display name. */
  readonly hostname?: string;
  /** Launcher pod that reserves the machine's resources on this node. */
  readonly pod: { readonly name: string; readonly uid: string };
  readonly cpu: CpuTopology;
  readonly maxSockets: number;
  readonly memoryBytes: number;
  readonly maxMemoryBytes: number;
  readonly disks: readonly MachineDisk[];
  readonly nics: readonly MachineNic[];
  /** Keys and passwords for users of the guest, as the instance names them. */
  readonly accessCredentials?: NonNullable<InstanceSpec['accessCredentials']>;
  readonly firmware: {
    readonly uuid: string;
    readonly loader: 'bios' | 'efi';
    readonly secureBoot: boolean;
    readonly machineType: string;
  };
  /** Starts paused, until it is resumed. */
  readonly startPaused: boolean;
  /** Annotations of the instance. The simulated driver reads the behavior of its guest from them. */
  readonly annotations: Readonly<Record<string, string>>;
}

export type MachineIdentity = Readonly<Record<string, { readonly mac?: string; readonly ip?: string }>>;

/** Returns the retained addresses of an instance by interface, or none if they are missing or unreadable. */
export function machineIdentityOf({ metadata }: Vmi): MachineIdentity {
  const text = metadata.annotations?.[IDENTITY_ANNOTATION];
  if (text === undefined) return {};
  try {
    const identity: unknown = JSON.parse(text);
    return typeof identity === 'object' && identity !== null ? (identity as MachineIdentity) : {};
  } catch {
    return {};
  }
}

function topologyOf({ domain }: InstanceSpec): CpuTopology {
  const { sockets = 1, cores = 1, threads = 1 } = domain.cpu ?? {};
  return { sockets, cores, threads };
}

/** Returns the guest memory in bytes. */
function memoryOf({ domain }: InstanceSpec): number {
  const { memory, resources } = domain;
  const given = memory?.guest ?? resources?.requests?.['memory'] ?? resources?.limits?.['memory'] ?? 0;
  return value(parseQuantity(given));
}

/** Part of the size that can change while a machine runs. */
export interface MachineSize {
  readonly sockets: number;
  readonly memoryBytes: number;
}

/** Returns the size that an instance currently requests. */
export function requestedSize({ spec }: Vmi): MachineSize {
  return { sockets: topologyOf(spec).sockets, memoryBytes: memoryOf(spec) };
}

/** Returns the size that a launcher pod reserves. Defaults to the last reported size of its machine. */
export function allocatedSize(instance: Vmi, { metadata }: Pod): MachineSize {
  const held = parseLauncherSize(metadata.annotations);
  const requested = requestedSize(instance);
  const { currentCPUTopology, memory } = instance.status ?? {};
  const amount = held?.memory ?? memory?.guestCurrent;
  return {
    sockets: held?.sockets ?? currentCPUTopology?.sockets ?? requested.sockets,
    memoryBytes: amount === undefined ? requested.memoryBytes : value(parseQuantity(amount)),
  };
}

/** Returns the machine that an instance requests, in the given launcher pod. */
export function machineSpecOf(instance: Vmi, pod: Pod): MachineSpec {
  const { metadata, spec } = instance;
  const { domain } = spec;
  const { sockets, memoryBytes } = allocatedSize(instance, pod);
  const cpu = { ...topologyOf(spec), sockets };
  const { maxGuest } = domain.memory ?? {};
  const efi = domain.firmware?.bootloader?.efi;
  return {
    id: metadata.uid ?? '',
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    hostname: hostnameOf(instance),
    pod: { name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' },
    cpu,
    maxSockets: Math.max(domain.cpu?.maxSockets ?? 0, cpu.sockets),
    memoryBytes,
    maxMemoryBytes: Math.max(maxGuest === undefined ? 0 : value(parseQuantity(maxGuest)), memoryBytes),
    disks: disksOf(spec),
    nics: nicsOf(instance),
    ...(spec.accessCredentials === undefined ? {} : { accessCredentials: spec.accessCredentials }),
    firmware: {
      uuid: domain.firmware?.uuid ?? metadata.uid ?? '',
      loader: efi === undefined ? 'bios' : 'efi',
      secureBoot: efi !== undefined && efi.secureBoot !== false,
      machineType: domain.machine?.type ?? 'q35',
    },
    startPaused: spec.startStrategy === 'Paused',
    annotations: { ...pod.metadata.annotations, ...metadata.annotations },
  };
}

const MAX_HOSTNAME = 63;

/** Returns the host name of the guest: the requested one, or the first label of the instance's name. */
function hostnameOf({ metadata, spec }: Vmi): string {
  const [label = ''] = (metadata.name ?? '').split('.');
  return spec.hostname ?? label.slice(0, MAX_HOSTNAME).replace(/-+$/, '');
}

function disksOf({ domain, volumes = [] }: InstanceSpec): MachineDisk[] {
  return (domain.devices.disks ?? []).flatMap((disk) => {
    const volume = volumes.find(({ name }) => name === (disk.volumeName ?? disk.name));
    if (volume === undefined) return [];
    const target = disk.cdrom !== undefined ? 'cdrom' : disk.lun !== undefined ? 'lun' : 'disk';
    const shown = disk.cdrom ?? disk.lun ?? disk.disk;
    return [
      {
        name: disk.name,
        target,
        bus: shown?.bus ?? (target === 'cdrom' ? 'sata' : target === 'lun' ? 'scsi' : 'virtio'),
        readonly: shown?.readonly ?? target === 'cdrom',
        ...(disk.bootOrder === undefined ? {} : { bootOrder: disk.bootOrder }),
        volume,
      },
    ];
  });
}

/** Returns the network interfaces of an instance. Defaults to one on the pod network. */
export function nicsOf(instance: Vmi): MachineNic[] {
  const { devices } = instance.spec.domain;
  const identity = machineIdentityOf(instance);
  const given = (devices.interfaces ?? []).filter(({ state }) => state !== 'absent');
  const cards = given.length > 0 || devices.autoattachPodInterface === false ? given : [{ name: 'default' }];
  return cards.map((card) => {
    const { macAddress, model = 'virtio' } = { macAddress: undefined, model: undefined, ...card };
    const known = identity[card.name];
    const ip = known?.ip;
    return {
      name: card.name,
      mac: macAddress ?? known?.mac ?? '',
      model,
      ...(ip === undefined || ip === '' ? {} : { ip }),
    };
  });
}
