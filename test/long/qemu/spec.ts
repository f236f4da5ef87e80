import type { GuestKind } from '#vm/node/machine-driver/drivers-under-test.fixture';
import type { MachineSpec } from '#vm/node/machine-spec';

const MIB = 2 ** 20;

/** Returns a machine with a writable disk named root, and a seed that makes its guest behave as requested. */
export function specOf(id: string, guest: GuestKind = 'plain'): MachineSpec {
  const disk = { target: 'disk', bus: 'virtio' } as const;
  return {
    id,
    name: id,
    namespace: 'default',
    pod: { name: `launcher-${id}`, uid: `pod-${id}` },
    cpu: { sockets: 1, cores: 1, threads: 1 },
    maxSockets: 1,
    memoryBytes: 128 * MIB,
    maxMemoryBytes: 128 * MIB,
    disks: [
      { ...disk, name: 'root', readonly: false, volume: { name: 'root' } },
      { ...disk, name: 'seed', readonly: true, volume: { name: 'seed' } },
    ],
    nics: [],
    firmware: { uuid: uuidOf(id), loader: 'bios', secureBoot: false, machineType: 'q35' },
    startPaused: false,
    annotations: { guest },
  };
}

function uuidOf(id: string): string {
  return `00000000-0000-4000-8000-${Buffer.from(id).toString('hex').padStart(12, '0').slice(-12)}`;
}
