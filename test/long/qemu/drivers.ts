import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import type { GuestKind } from '#vm/node/machine-driver/drivers-under-test.fixture';
import type { MachineSpec } from '#vm/node/machine-spec';
import { Cgroups } from '#vm/node/qemu/isolation/cgroups';
import type { Isolation } from '#vm/node/qemu/isolation/isolation';
import { probeIsolation } from '#vm/node/qemu/isolation/probe-isolation';
import { QemuDriver, type QemuDriverOptions } from '#vm/node/qemu/qemu-driver';
import { isoImage } from '#vm/node/qemu/seed/iso-image';
import { createOverlay, GUEST_SCRIPTS, guestImage, QEMU } from './guest.ts';

const MIB = 2 ** 20;
const opened: QemuDriver[] = [];
let probed: Promise<Isolation> | undefined;

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

export async function newRoot(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'vimana-qemu-'));
}

/** Returns how this host isolates machines. It is probed once. */
export function isolation(): Promise<Isolation> {
  probed ??= probeIsolation({ isRoot: process.getuid?.() === 0, addresses: [] });
  return probed;
}

/** Opens a driver as a node agent would when it starts. */
export async function openDriver(root: string, changes: Partial<QemuDriverOptions> = {}): Promise<QemuDriver> {
  const driver = await QemuDriver.open({
    clock: realClock,
    log: noopLogger,
    host: { binary: QEMU, accelerator: 'tcg', machineTypes: new Map([['q35', 'q35']]) },
    root,
    cluster: 'cluster',
    node: 'node',
    bootId: 'boot',
    isolation: await isolation(),
    cgroups: await Cgroups.open(`test-${process.pid}`),
    prepareDisks,
    ...changes,
  });
  opened.push(driver);
  return driver;
}

async function prepareDisks({ annotations }: MachineSpec, directory: string) {
  createOverlay(await guestImage(), join(directory, 'root.qcow2'));
  const script = annotations['script'] ?? GUEST_SCRIPTS[annotations['guest'] as GuestKind];
  const files = { 'user-data': Buffer.from(script), 'meta-data': Buffer.from('local-hostname: guest\n') };
  await writeFile(join(directory, 'seed.iso'), isoImage('cidata', files));
  return [
    { name: 'root', file: 'root.qcow2', format: 'qcow2', readonly: false },
    { name: 'seed', file: 'seed.iso', format: 'raw', readonly: true },
  ] as const;
}

/** Deletes the machines that tests have left. */
export async function removeMachines(): Promise<void> {
  for (const driver of opened.splice(0)) {
    for (const { spec } of await driver.list()) await driver.remove(spec.id);
  }
}
