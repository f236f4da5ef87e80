import { type Snapshot, type SnapshotStatus, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { TemporaryError, TerminalError, VimanaError } from '#platform/base/errors';
import type { Index } from '#platform/runtime/cache';
import { type Context, type Controller } from '#platform/runtime/controller';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { namedVmOf } from '#vm/storage/disk/active-clone';
import { ancestryWith, existingAncestors } from '#vm/storage/snapshot/lineage';
import { capturedStatus, failedStatus } from '#vm/storage/snapshot/status';
import { isAlive, type MachineSnapshot } from '../machine-driver.ts';
import type { ManagedNode, ManagedNodes } from './managed-node.ts';
import { snapshotDenial } from './snapshot-access.ts';

/** Retries while the node is inactive. The requester gives up in the end. */
const LATER: ReconcileResult = { requeueAfterMs: 5_000 };

const byMachine: Index<Snapshot> = { values: ({ status }) => (status?.vmUID === undefined ? [] : [status.vmUID]) };

/** Captures and restores what the operator requests of a fleet's nodes in the status of VMSnapshots. */
export function snapshotAgent(hosts: ManagedNodes): Controller<Snapshot> {
  return {
    name: 'snapshot agent',
    for: VM_SNAPSHOTS,
    concurrency: 16,
    async reconcile(snapshot, context) {
      const requested = isAsked(snapshot);
      if (requested === undefined) return undefined;
      const host = hosts.find(requested.node);
      if (host === undefined) return undefined;
      if (host.frozen || !host.leaseHeld) return host.gone === undefined ? LATER : undefined;
      await (requested.to === 'capture' ? capture : restore)(snapshot, host, context);
      return undefined;
    },
  };
}

function isAsked({ metadata, status }: Snapshot): { to: 'capture' | 'restore'; node: string } | undefined {
  const { phase, nodeName, creationTime, restore: requested } = status ?? {};
  if (phase === 'Creating' && nodeName !== undefined && creationTime === undefined) {
    return metadata.deletionTimestamp === undefined ? { to: 'capture', node: nodeName } : undefined;
  }
  if (requested?.nodeName === undefined || requested.completed === true || requested.failure !== undefined)
    return undefined;
  return { to: 'restore', node: requested.nodeName };
}

async function capture(
  snapshot: Snapshot,
  { driver }: ManagedNode,
  { client, cache, clock, events }: Context,
): Promise<void> {
  const { spec, status = {} } = snapshot;
  const { instanceUID, vmUID = '', disks = [] } = status;
  const { namespace } = namedVmOf(snapshot);
  let next: SnapshotStatus;
  try {
    await assertAllowed(snapshot, 'capture', driver, client);
    const kept = await driver.snapshot(instanceUID ?? { namespace, disks }, {
      memory: spec.includeMemory,
      quiesce: spec.quiesce,
    });
    next = capturedStatus(snapshot, kept, [...cache(VM_SNAPSHOTS).by(byMachine, vmUID)]);
  } catch (error) {
    if (!isFinal(error)) throw error;
    // It has stopped or migrated since the request. The requester sees that too, and requests it again.
    if (instanceUID !== undefined && !isAlive(await driver.inspect(instanceUID))) return;
    next = failedStatus(snapshot, 'CaptureFailed', error.message, clock.now());
  }
  const written = await writeStatus(client, VM_SNAPSHOTS, snapshot, next);
  if (next.phase === 'Ready') events.event(written, 'Normal', 'Captured', `Captured ${next.size} of the VM`);
  else events.event(written, 'Warning', 'CaptureFailed', next.conditions?.[0]?.message ?? '');
}

async function restore(snapshot: Snapshot, { driver }: ManagedNode, { client, cache }: Context): Promise<void> {
  const { status = {} } = snapshot;
  const { restore: requested, vmUID = '' } = status;
  if (requested === undefined) return;
  const { namespace } = namedVmOf(snapshot);
  const others = [...cache(VM_SNAPSHOTS).by(byMachine, vmUID)];
  const on = [
    ...existingAncestors(status, others).map(({ metadata: { name, uid } }) => ({ name, uid })),
    ...ancestryWith(snapshot).slice(-1),
  ];
  const kept = toMachineSnapshot(status);
  try {
    await assertAllowed(snapshot, 'restore', driver, client);
    await driver.restore({ namespace, disks: kept.disks as readonly { name: string; claim: string }[] }, kept, {
      uid: requested.uid,
      on,
    });
    await writeStatus(client, VM_SNAPSHOTS, snapshot, { ...status, restore: { ...requested, completed: true } });
  } catch (error) {
    if (!isFinal(error)) throw error;
    await writeStatus(client, VM_SNAPSHOTS, snapshot, { ...status, restore: { ...requested, failure: error.message } });
  }
}

/** Throws if the status requests what it must not grant. */
async function assertAllowed(
  snapshot: Snapshot,
  to: 'capture' | 'restore',
  driver: ManagedNode['driver'],
  client: Context['client'],
): Promise<void> {
  const { instanceUID } = snapshot.status ?? {};
  const running = instanceUID === undefined ? undefined : (await driver.inspect(instanceUID))?.spec;
  const objection = await snapshotDenial(snapshot, to, running, client);
  if (objection !== undefined) throw new TerminalError(`${objection}; nothing was changed`);
}

/** Converts the status of a snapshot to the driver's format. */
function toMachineSnapshot({
  creationTime = '',
  disks = [],
  memoryBytes,
  guestState,
}: SnapshotStatus): MachineSnapshot {
  return {
    at: Date.parse(creationTime),
    disks: disks.map(({ name, claim, contents = '', sizeBytes = 0 }) => ({ name, claim, contents, bytes: sizeBytes })),
    quiesced: false,
    ...(guestState === undefined ? {} : { memory: { bytes: memoryBytes ?? 0, state: guestState } }),
  };
}

/** Reports whether a retry is pointless: the machine is gone, or does not support the request. */
function isFinal(error: unknown): error is VimanaError {
  return error instanceof VimanaError && !(error instanceof TemporaryError);
}
