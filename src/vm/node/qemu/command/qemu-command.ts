import type { MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import { diskArguments } from './disk-arguments.ts';
import { ignitionArguments } from './ignition-arguments.ts';
import { nicArguments } from './nic-arguments.ts';
import type { PreparedDisk, QemuHost } from './qemu-host.ts';

/** Directory in a machine directory in which QEMU creates its sockets, the only one that it may write to. */
export const SOCKETS_DIRECTORY = 'sockets';

/** Names of the files in a machine directory that QEMU opens. */
export const QEMU_FILES = {
  qmp: `${SOCKETS_DIRECTORY}/qmp.sock`,
  serial: `${SOCKETS_DIRECTORY}/serial.sock`,
  serialLog: 'serial.log',
  vnc: `${SOCKETS_DIRECTORY}/vnc.sock`,
  screendump: 'screendump.png',
  guestAgent: `${SOCKETS_DIRECTORY}/agent.sock`,
} as const;

/** FIFO pair that is a QMP monitor of the keeper: power.in and power.out. QEMU holds both ends of each open. */
export const KEEPER_MONITOR = 'power';

/** Name of the channel to the guest agent. */
export const AGENT_CHANNEL = 'agent0';

/** Size of the cache of translated code, in MiB. More is faster and costs memory in every machine. */
const TCG_CACHE = 16;
const MIB = 1 << 20;

/**
 * Returns the command that runs a machine, as a pure function of its spec. QEMU starts paused, and neither a shutdown
 * nor a panic of the guest ends it, so that the node agent finds out why a machine ended even if it was away.
 */
export function qemuCommand(spec: MachineSpec, disks: readonly PreparedDisk[], host: QemuHost): string[] {
  return [
    host.binary,
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-S'],
    ...['-name', `guest=${escapeValue(`${spec.namespace}/${spec.name}`)}`, '-uuid', spec.firmware.uuid],
    ...['-machine', `${machineType(spec, host)},graphics=on`, ...accelerator(host)],
    ...sizeArguments(spec),
    ...['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
    ...['-action', 'reboot=reset,shutdown=pause,panic=pause'],
    ...channelArguments(),
    ...['-device', 'VGA', '-device', 'virtio-rng-pci', '-device', 'pvpanic-pci'],
    ...['-device', 'virtio-balloon-pci,id=balloon0,free-page-reporting=on'],
    ...diskArguments(spec, disks),
    ...nicArguments(spec, host),
    ...ignitionArguments(spec),
  ];
}

function machineType({ firmware }: MachineSpec, { machineTypes }: QemuHost): string {
  if (firmware.loader === 'efi') throw new NotSupportedError('qemu', 'UEFI (firmware.bootloader.efi)');
  const { machineType: requested } = firmware;
  const found = machineTypes.get(requested);
  if (found === undefined) throw new NotSupportedError('qemu', `machine type ${requested}`);
  return found;
}

function accelerator({ accelerator: name }: QemuHost): string[] {
  return name === 'kvm' ? ['-accel', 'kvm', '-cpu', 'host'] : ['-accel', `tcg,tb-size=${TCG_CACHE}`, '-cpu', 'max'];
}

function sizeArguments({ cpu, memoryBytes }: MachineSpec): string[] {
  const { sockets, cores, threads } = cpu;
  const count = sockets * cores * threads;
  return [
    ...['-smp', `${count},sockets=${sockets},cores=${cores},threads=${threads}`],
    ...['-m', `size=${Math.ceil(memoryBytes / MIB)}M`],
  ];
}

/** Sockets are in the machine directory, QEMU's working directory, so that their paths are short. */
function channelArguments(): string[] {
  const { qmp, serial, serialLog, vnc, guestAgent } = QEMU_FILES;
  const socket = (id: string, path: string) => `socket,id=${id},path=${path},server=on,wait=off`;
  return [
    ...['-chardev', `pipe,id=keeper,path=${KEEPER_MONITOR}`, '-mon', 'chardev=keeper,mode=control'],
    ...['-chardev', socket('qmp', qmp), '-mon', 'chardev=qmp,mode=control'],
    ...['-chardev', `${socket('serial0', serial)},logfile=${serialLog},logappend=on`, '-serial', 'chardev:serial0'],
    ...['-vnc', `unix:${vnc}`],
    ...['-device', 'virtio-serial-pci', '-chardev', socket(AGENT_CHANNEL, guestAgent)],
    ...['-device', `virtserialport,chardev=${AGENT_CHANNEL},name=org.qemu.guest_agent.0`],
  ];
}

/** Doubles commas, which separate the options of an argument. */
function escapeValue(value: string): string {
  return value.replaceAll(',', ',,');
}
