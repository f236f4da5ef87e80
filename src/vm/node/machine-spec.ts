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
  /** The volume that the disk shows, as the instance names it. */
  readonly volume: NonNullable<InstanceSpec['volumes']>[number];
}

export interface MachineNic {
  readonly name: string;
  readonly mac: string;
  /** The address that the guest is to get; absent on networks whose addresses are not given out here. */
  readonly ip?: string;
  readonly model: string;
}

/** A machine as a driver is asked to make it. It says nothing of Kubernetes but whose it is. */
export interface MachineSpec {
  /** The uid of the instance: one run of a machine, wherever it goes. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly namespace: string;
  /** The launcher pod that holds the machine's place on this node. */
  readonly pod: { readonly name: string; readonly uid: string };
  readonly cpu: CpuTopology;
  readonly maxSockets: number;
  readonly memoryBytes: number;
  readonly maxMemoryBytes: number;
  readonly disks: readonly MachineDisk[];
  readonly nics: readonly MachineNic[];
  readonly firmware: {
    readonly uuid: string;
    readonly loader: 'bios' | 'efi';
    readonly secureBoot: boolean;
    readonly machineType: string;
  };
  /** Made ready to run, but standing still until it is resumed. */
  readonly startPaused: boolean;
  /** What the instance says to those who know it: the simulated driver reads how its guest behaves. */
  readonly annotations: Readonly<Record<string, string>>;
}

export type MachineIdentity = Readonly<Record<string, { readonly mac?: string; readonly ip?: string }>>;

/** The addresses that an instance keeps, by interface; empty where none were given out, or they cannot be read. */
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

/** Memory of the guest in bytes. */
function memoryOf({ domain }: InstanceSpec): number {
  const { memory, resources } = domain;
  const given = memory?.guest ?? resources?.requests?.['memory'] ?? resources?.limits?.['memory'] ?? 0;
  return value(parseQuantity(given));
}

/** The part of a machine's size that can change while it runs. */
export interface MachineSize {
  readonly sockets: number;
  readonly memoryBytes: number;
}

/** What an instance asks for by now. */
export function requestedSize({ spec }: Vmi): MachineSize {
  return { sockets: topologyOf(spec).sockets, memoryBytes: memoryOf(spec) };
}

/** What a launcher pod holds the place for; where it does not say, what its machine was last said to have. */
export function allocatedSize(instance: Vmi, { metadata }: Pod): MachineSize {
  const held = parseLauncherSize(metadata.annotations);
  const asked = requestedSize(instance);
  const { currentCPUTopology, memory } = instance.status ?? {};
  const amount = held?.memory ?? memory?.guestCurrent;
  return {
    sockets: held?.sockets ?? currentCPUTopology?.sockets ?? asked.sockets,
    memoryBytes: amount === undefined ? asked.memoryBytes : value(parseQuantity(amount)),
  };
}

/** The machine that an instance asks for, in the place that a launcher pod holds for it. */
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
    pod: { name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' },
    cpu,
    maxSockets: Math.max(domain.cpu?.maxSockets ?? 0, cpu.sockets),
    memoryBytes,
    maxMemoryBytes: Math.max(maxGuest === undefined ? 0 : value(parseQuantity(maxGuest)), memoryBytes),
    disks: disksOf(spec),
    nics: nicsOf(instance),
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

/** The network cards of an instance: one on the pod network where it says nothing of them. */
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
