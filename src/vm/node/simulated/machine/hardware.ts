import { type Device, InvalidStateError } from '../../machine-driver.ts';
import type { MachineSpec } from '../../machine-spec.ts';

/** Functions that change the hardware of a running machine. */

export function withSize(
  spec: MachineSpec,
  { sockets, memoryBytes }: { readonly sockets?: number; readonly memoryBytes?: number },
): MachineSpec {
  const refuse = (why: string) => new InvalidStateError('resize', spec.id, why);
  if (sockets !== undefined && (sockets < 1 || sockets > spec.maxSockets)) {
    throw refuse(`it can have 1 to ${spec.maxSockets} sockets, not ${sockets}`);
  }
  if (memoryBytes !== undefined && (memoryBytes < 1 || memoryBytes > spec.maxMemoryBytes)) {
    throw refuse(`it can have up to ${spec.maxMemoryBytes} bytes of memory, not ${memoryBytes}`);
  }
  return {
    ...spec,
    cpu: { ...spec.cpu, ...(sockets === undefined ? {} : { sockets }) },
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
  };
}

export function withDevice(spec: MachineSpec, device: Device): MachineSpec {
  const name = device.kind === 'disk' ? device.disk.name : device.nic.name;
  if (has(spec, device.kind, name))
    throw new InvalidStateError('attach', spec.id, `it already has a ${device.kind} ${name}`);
  return device.kind === 'disk'
    ? { ...spec, disks: [...spec.disks, device.disk] }
    : { ...spec, nics: [...spec.nics, device.nic] };
}

export function withoutDevice(
  spec: MachineSpec,
  { kind, name }: { readonly kind: 'disk' | 'nic'; readonly name: string },
): MachineSpec {
  if (!has(spec, kind, name)) throw new InvalidStateError('detach', spec.id, `it has no ${kind} ${name}`);
  return kind === 'disk'
    ? { ...spec, disks: spec.disks.filter((disk) => disk.name !== name) }
    : { ...spec, nics: spec.nics.filter((nic) => nic.name !== name) };
}

function has({ disks, nics }: MachineSpec, kind: 'disk' | 'nic', name: string): boolean {
  return (kind === 'disk' ? disks : nics).some((device) => device.name === name);
}
