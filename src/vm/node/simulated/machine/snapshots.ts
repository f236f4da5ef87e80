import {
  bytesBeyond,
  formatContents,
  type GuestDisk,
  type GuestState,
  restoredTo,
  retainedOf,
} from '#api/disk/contents';
import { diskDifference } from '#vm/storage/disk/guest-disks';
import { restoreDisks, retainedIn, saveDisks } from '#vm/storage/disk/saved-disks';
import type {
  DiskHolder,
  MachineDiskSnapshot,
  MachineSnapshot,
  RestoreMark,
  SnapshotRequest,
} from '../../machine-driver.ts';
import type { MachineSpec } from '../../machine-spec.ts';
import type { SimulatedMachine } from './simulated-machine.ts';
import { claimOf, type Simulation } from './simulation.ts';

type Claims = Exclude<DiskHolder, string>;

const writableDisks = ({ disks }: MachineSpec) => disks.filter(({ readonly }) => !readonly);
const vcpusOf = ({ cpu }: MachineSpec) => cpu.sockets * cpu.cores * cpu.threads;

/** Captures the disks of a machine, to which nothing is written meanwhile. */
export async function snapshotMachine(
  simulation: Simulation,
  machine: SimulatedMachine,
  { memory, quiesce, below }: SnapshotRequest,
): Promise<MachineSnapshot> {
  return await machine.alone(async () => {
    const { spec, guest } = machine;
    const state: GuestState = {
      uptimeMs: Math.round(guest.uptime),
      memoryBytes: spec.memoryBytes,
      vcpus: vcpusOf(spec),
      disks: guestDisks(spec, simulation),
    };
    const quiesced = quiesce && machine.state === 'running' && guest.info !== undefined;
    const disks = await Promise.all(
      writableDisks(spec).map(async (disk) => {
        const claim = claimOf(disk);
        return {
          name: disk.name,
          ...(claim === undefined ? {} : { claim }),
          contents: formatContents(retainedOf(await simulation.read(spec, disk.name))),
        };
      }),
    );
    return {
      at: simulation.clock.now(),
      disks: measureDisks(disks, below),
      quiesced,
      ...(memory ? { memory: { bytes: spec.memoryBytes, state: JSON.stringify(state) } } : {}),
    };
  });
}

/** Captures disks that no machine uses. */
export async function snapshotClaims(
  { store, clock }: Simulation,
  claims: Claims,
  { below }: SnapshotRequest,
): Promise<MachineSnapshot> {
  const disks = await saveDisks(store, claims);
  // Nothing writes to them, so they are quiesced.
  return { at: clock.now(), disks: measureDisks(disks, below), quiesced: true };
}

export async function restoreMachine(
  simulation: Simulation,
  machine: SimulatedMachine,
  kept: MachineSnapshot,
  mark: RestoreMark,
): Promise<void> {
  await machine.alone(async () => {
    const { spec } = machine;
    for (const disk of kept.disks) {
      if (!spec.disks.some(({ name }) => name === disk.name)) continue;
      await simulation.change(spec, disk.name, (now) =>
        now.branch?.uid === mark.uid ? now : restoredTo(now, retainedIn(disk), mark, undefined),
      );
    }
    machine.guest.begin(resumption(kept.memory?.state, spec, simulation) ?? 0);
  });
}

export async function restoreClaims(
  { store }: Simulation,
  { namespace, disks }: Claims,
  kept: MachineSnapshot,
  mark: RestoreMark,
): Promise<void> {
  const saved = kept.disks.flatMap(({ name, contents }) => {
    const claim = disks.find((disk) => disk.name === name)?.claim;
    return claim === undefined ? [] : [{ name, claim, contents }];
  });
  await restoreDisks(store, namespace, saved, mark, readState(kept.memory?.state));
}

/** Returns the children of a snapshot to be deleted, rebased on its parent. */
export function rebaseSnapshots(
  above: readonly MachineSnapshot[],
  below: MachineSnapshot | undefined,
): MachineSnapshot[] {
  return above.map((each) => ({ ...each, disks: measureDisks(each.disks, below) }));
}

/**
 * Returns the uptime at which a guest resumes after a restore, in milliseconds. Undefined if the machine has changed.
 */
export function resumption(
  state: string | GuestState | undefined,
  spec: MachineSpec,
  simulation: Simulation,
): number | undefined {
  const read = typeof state === 'string' ? readState(state) : state;
  if (read === undefined || read.memoryBytes !== spec.memoryBytes || read.vcpus !== vcpusOf(spec)) return undefined;
  if (read.disks !== undefined && diskDifference(read.disks, guestDisks(spec, simulation)) !== undefined)
    return undefined;
  return read.uptimeMs;
}

/** Returns the disks of a machine that outlive its run. */
function guestDisks({ namespace, disks }: MachineSpec, { store }: Simulation): GuestDisk[] {
  return disks.flatMap((disk) => {
    const claim = claimOf(disk);
    if (claim === undefined) return [];
    const bytes = store.bytes(namespace, claim);
    return [bytes === undefined ? { claim } : { claim, bytes }];
  });
}

function readState(state: string | undefined): GuestState | undefined {
  return state === undefined ? undefined : (JSON.parse(state) as GuestState);
}

function measureDisks<D extends Omit<MachineDiskSnapshot, 'bytes'>>(
  disks: readonly D[],
  below: MachineSnapshot | undefined,
): (D & { bytes: number })[] {
  return disks.map((disk) => {
    const under = below?.disks.find(({ name }) => name === disk.name);
    return { ...disk, bytes: bytesBeyond(retainedIn(disk), under === undefined ? undefined : retainedIn(under)) };
  });
}
