import { WrongState } from '../../machine-driver.ts';
import type { MachineSpec } from '../../machine-spec.ts';
import type { KeptSnapshot, SimulatedMachine } from './simulated-machine.ts';
import type { Simulation } from './simulation.ts';

/** Bytes that a block of a simulated disk stands for. */
const BLOCK_BYTES = 4096;

const written = ({ disks }: MachineSpec) => disks.filter(({ readonly }) => !readonly);

export function takeSnapshot(
  simulation: Simulation,
  machine: SimulatedMachine,
  { name, memory }: { readonly name: string; readonly memory: boolean },
): KeptSnapshot {
  const { spec, snapshots, current } = machine;
  if (snapshots.has(name)) throw new WrongState('snapshot', spec.id, `there is a snapshot ${name} already`);
  let blocks = 0;
  for (const disk of written(spec)) blocks += simulation.contents(spec, disk.name).snapshot(keptAs(spec, name));
  const kept: KeptSnapshot = {
    name,
    at: simulation.clock.now(),
    memory,
    bytes: blocks * BLOCK_BYTES + (memory ? spec.memoryBytes : 0),
    ...(current === undefined ? {} : { parent: current }),
    ...(memory ? { uptime: machine.guest.uptime } : {}),
  };
  snapshots.set(name, kept);
  machine.current = name;
  return kept;
}

export function restoreSnapshot(simulation: Simulation, machine: SimulatedMachine, name: string): void {
  const kept = snapshotOf(machine, 'restore', name);
  for (const disk of written(machine.spec)) {
    simulation.contents(machine.spec, disk.name).restore(keptAs(machine.spec, name));
  }
  machine.current = name;
  machine.guest.begin(kept.uptime ?? 0);
}

export function deleteSnapshot(simulation: Simulation, machine: SimulatedMachine, name: string): void {
  const { parent } = snapshotOf(machine, 'snapshot deletion', name);
  for (const disk of written(machine.spec)) {
    simulation.contents(machine.spec, disk.name).delete(keptAs(machine.spec, name));
  }
  machine.snapshots.delete(name);
  if (machine.current === name) machine.current = parent;
  for (const [other, { parent: below, ...kept }] of machine.snapshots) {
    if (below !== name) continue;
    machine.snapshots.set(other, { ...kept, ...(parent === undefined ? {} : { parent }) });
  }
}

function snapshotOf(machine: SimulatedMachine, operation: string, name: string): KeptSnapshot {
  const kept = machine.snapshots.get(name);
  if (kept === undefined) throw new WrongState(operation, machine.spec.id, `there is no snapshot ${name}`);
  return kept;
}

/** Two machines may use one claim one after the other, and name their snapshots alike. */
const keptAs = ({ id }: MachineSpec, name: string) => `${id}/${name}`;
