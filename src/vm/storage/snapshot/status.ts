import type { Snapshot, SnapshotStatus } from '#api/hypersdk/snapshot-resources';
import { timestamp } from '#platform/base/timestamp';
import { type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import { inChain } from './lineage.ts';

/** Captured state of a VM. */
export interface Capture {
  readonly at: number;
  readonly disks: readonly { readonly name: string; readonly claim?: string; readonly contents: string }[];
  readonly quiesced: boolean;
  readonly memory?: { readonly bytes: number; readonly state: string };
}

type Conditions = NonNullable<SnapshotStatus['conditions']>;

/** Returns the status of a captured snapshot. */
export function capturedStatus(snapshot: Snapshot, capture: Capture, others: readonly Snapshot[]): SnapshotStatus {
  const { metadata, spec, status = {} } = snapshot;
  const now = timestamp(capture.at);
  const { memory } = capture;
  const place = `simulated:${metadata.namespace}/${metadata.name}`;
  // Disks that are deleted with their VM cannot be restored.
  const disks = capture.disks.flatMap(({ name, claim, contents }) =>
    claim === undefined ? [] : [{ name, claim, contents }],
  );
  const ready: KubeCondition = {
    type: 'Ready',
    status: 'True',
    reason: 'Captured',
    message: capturedMessage(snapshot, memory !== undefined, disks.length),
  };
  return inChain(
    {
      ...status,
      ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
      phase: 'Ready',
      conditions: withConditions(status.conditions, [ready, quiescence(spec.quiesce, status, capture)], now),
      creationTime: now,
      readyToRestore: true,
      disks,
      backingFiles: [
        ...disks.map(({ name }) => `${place}/${name}`),
        ...(memory === undefined ? [] : [`${place}/memory`]),
      ],
      ...(memory === undefined ? {} : { memoryBytes: memory.bytes, guestState: memory.state }),
    },
    others,
  );
}

function capturedMessage({ spec, status }: Snapshot, withMemory: boolean, disks: number): string {
  const one = disks === 1;
  if (withMemory) return `${disks} ${one ? 'disk' : 'disks'} and memory were captured`;
  const kept = `${disks} ${one ? 'disk was' : 'disks were'} captured`;
  const off = spec.includeMemory && status?.instanceUID === undefined;
  return off ? `${kept}; the VM was stopped and had no memory to capture` : kept;
}

function quiescence(requested: boolean, { instanceUID }: SnapshotStatus, { quiesced }: Capture): KubeCondition {
  const off = instanceUID === undefined;
  if (off) return { type: 'Quiesced', status: 'True', reason: 'MachineOff', message: 'the VM was stopped' };
  if (quiesced) {
    return { type: 'Quiesced', status: 'True', reason: 'Frozen', message: 'the guest agent froze the filesystems' };
  }
  const why = requested
    ? 'the guest is paused or has no guest agent to freeze its filesystems'
    : 'spec.quiesce is false';
  const message = `disks are crash-consistent: ${why}`;
  return { type: 'Quiesced', status: 'False', reason: requested ? 'NoGuestAgent' : 'NotAsked', message };
}

/** Returns the status of a failed snapshot, which holds nothing. */
export function failedStatus(snapshot: Snapshot, reason: string, message: string, now: number): SnapshotStatus {
  const { observedGeneration, vmState, startTime, conditions, nodeName, vmUID } = snapshot.status ?? {};
  const kept = { observedGeneration, vmState, startTime, nodeName, vmUID };
  const said: KubeCondition[] = [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Failed', status: 'True', reason, message },
  ];
  return {
    ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
    phase: 'Failed',
    readyToRestore: false,
    conditions: withConditions(conditions, said, timestamp(now)),
  };
}

export function withConditions(
  before: Conditions | undefined,
  said: readonly KubeCondition[],
  now: string,
): Conditions {
  let all: readonly KubeCondition[] = before ?? [];
  for (const condition of said) all = withCondition(all, condition, now);
  return [...all];
}
