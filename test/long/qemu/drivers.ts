import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import type { MachineSpec } from '#vm/node/machine-spec';
import type { NodeObjects } from '#vm/node/node-objects';
import type { PreparedDisk } from '#vm/node/qemu/command/qemu-host';
import { Cgroups } from '#vm/node/qemu/isolation/cgroups';
import type { Isolation } from '#vm/node/qemu/isolation/isolation';
import { probeIsolation } from '#vm/node/qemu/isolation/probe-isolation';
import { QemuDriver, type QemuDriverOptions } from '#vm/node/qemu/qemu-driver';
import { readSeedContents } from '#vm/node/qemu/seed/seed-contents';
import { writeSeed } from '#vm/node/qemu/seed/write-seed';
import { createOverlay, guestImage, QEMU } from './guest.ts';
import { specOf } from './spec.ts';

export { specOf };

const opened: QemuDriver[] = [];
let probed: Promise<Isolation> | undefined;

/** Text that only a Secret contains, and that nothing may record. */
export const SECRET_TEXT = 's3cret-user-data';

/** Returns a machine whose guest reads its user data from a Secret, in one of the layouts of cloud-init. */
export function seededSpec(id: string, layout: 'cloudInitNoCloud' | 'cloudInitConfigDrive'): MachineSpec {
  const volume = { name: 'seed', [layout]: { secretRef: { name: 'first-boot' } } };
  const disks = specOf(id).disks.map((disk) => (disk.name === 'seed' ? { ...disk, volume } : disk));
  return { ...specOf(id), disks };
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
    prepareDisks: (spec, directory) => prepareDisks(spec, directory),
    ...changes,
  });
  opened.push(driver);
  return driver;
}

/** Secrets of the tests by name. */
const SECRETS: Readonly<Record<string, Readonly<Record<string, Buffer>>>> = {
  'first-boot': { userdata: Buffer.from(`#!/bin/sh\necho "applied ${SECRET_TEXT} on $(hostname)"\n`) },
};
const objects: NodeObjects = {
  async read({ name }) {
    const entries = SECRETS[name];
    return entries === undefined ? undefined : { entries, version: '1' };
  },
  async waitForChange() {},
};

/** Creates the root disk over the demo guest, or over another image, and the seeds as the driver does. */
export async function prepareDisks(spec: MachineSpec, directory: string, image?: string): Promise<PreparedDisk[]> {
  createOverlay(image ?? (await guestImage()), join(directory, 'root.qcow2'));
  const contents = await readSeedContents(spec, objects);
  const [, ...seeds] = spec.disks;
  const written = await Promise.all(seeds.map((disk, at) => writeSeed(disk, at, { spec, directory, contents })));
  const root = { name: 'root', file: 'root.qcow2', format: 'qcow2', readonly: false } as const;
  return [root, ...written.filter((disk) => disk !== undefined)];
}

/** Deletes the machines that tests have left. */
export async function removeMachines(): Promise<void> {
  for (const driver of opened.splice(0)) {
    for (const { spec } of await driver.list()) await driver.remove(spec.id);
  }
}
