import { InvalidStateError, type MigrationRequest } from '../../machine-driver.ts';
import type { SimulatedDriver } from './simulated-driver.ts';
import type { Migration, SimulatedMachine } from './simulated-machine.ts';
import { residentBytes } from './transfers.ts';

/** Begins to send a machine to the node that waits for it. */
export function startMigration(driver: SimulatedDriver, machine: SimulatedMachine, request: MigrationRequest): void {
  const { simulation, node } = driver;
  const { id, memoryBytes } = machine.spec;
  if (machine.migration?.state === 'active') throw new InvalidStateError('migration', id, 'it is already in progress');
  const target = simulation.at(request.address);
  const there = target?.waitingFor(id, request.uid);
  if (target === undefined || there === undefined) {
    throw new InvalidStateError('migration', id, `no target is waiting at ${request.address}`);
  }
  const fail = (message: string) => {
    machine.migrationOver('failed', message);
    driver.changed(id);
  };
  there.onEnd = () => fail('the target no longer exists');
  // A ratio of the memory is no whole number of bytes, but reports need one.
  const totalBytes = Math.round(residentBytes(memoryBytes, machine.behavior.memoryUtilization));
  const migration: Migration = {
    uid: request.uid,
    state: 'active',
    startedAt: simulation.clock.now(),
    totalBytes,
    remaining: totalBytes,
    mode: 'PreCopy',
    sent: 0,
    target: there,
  };
  machine.migration = migration;
  migration.transfer = simulation.transfers.start({
    source: node,
    target: target.node,
    bytes: totalBytes,
    dirtyRate: () => machine.guest.dirtyRate,
    ...(request.bandwidth === undefined ? {} : { bandwidth: request.bandwidth }),
    ...(request.autoConverge === undefined ? {} : { autoConverge: request.autoConverge }),
    ...(request.postCopy === undefined ? {} : { postCopy: request.postCopy }),
    done: (downtimeMs) => handOver(machine, there, downtimeMs),
    failed: fail,
  });
  driver.changed(id);
}

/** Ends the source for good before the target resumes. */
function handOver(from: SimulatedMachine, to: SimulatedMachine, downtimeMs: number): void {
  const { state, guest, migration } = from;
  if (migration !== undefined) migration.downtimeMs = downtimeMs;
  const { uptime } = guest;
  from.migrationOver('completed');
  from.end('Migrated', 'it was migrated to another node');
  to.startedAt = from.startedAt;
  to.spec = { ...from.spec, pod: to.spec.pod };
  to.guest.begin(uptime);
  if (state === 'paused') to.pause();
  else to.run();
}
