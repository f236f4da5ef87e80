import { DISK_CONTENTS_ANNOTATION } from '#api/disk/contents';
import { isRestoring, SIMULATED_PROVISIONER } from '#api/disk/request';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { timestamp } from '#platform/base/timestamp';
import { conditionOf } from '#platform/kube/kinds/condition';
import type { Node } from '#platform/kube/kinds/node';
import type { PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import { isPopulated } from '#vm/storage/disk/claim-disks';
import type { CrossNamespaceDenial } from '#vm/storage/namespace-grant';
import type { SnapshotSettings } from './settings.ts';
import { claimedDisks, namespaceOf, type SnapshotSource, snapshotVmKey } from './snapshot-source.ts';
import type { ChosenClass } from './volume-snapshot-class.ts';

/** State that the capture of a snapshot is planned by. */
export interface SnapshotView {
  readonly snapshot: Snapshot;
  readonly source: SnapshotSource | 'missing' | 'not served';
  /** Reason for which its namespace may not have a snapshot of the VM. */
  readonly denial?: CrossNamespaceDenial | undefined;
  /** Snapshot of the same VM that comes first. */
  readonly before: string | undefined;
  readonly claim: (name: string) => PersistentVolumeClaim | undefined;
  readonly storageClass: (name: string) => StorageClass | undefined;
  /** Snapshot classes of the claims that are not simulated, and have a volume or can never be captured. */
  readonly classes: ReadonlyMap<string, ChosenClass>;
  readonly node: (name: string) => Node | undefined;
  /** Ready node of ours for work that any node can do. */
  readonly anyNode: string | undefined;
  readonly now: number;
}

/** Capturer of the disks: the node agent, the operator if there is none, or the storage of the cluster. */
export type Capturer = { readonly node: string } | 'operator' | 'storage';

export type SnapshotStep =
  | { readonly do: 'wait'; readonly reason: string; readonly message: string; readonly until: number }
  | { readonly do: 'fail'; readonly reason: string; readonly message: string }
  | {
      readonly do: 'capture';
      readonly by: Capturer;
      readonly machine: SnapshotSource;
      readonly disks: readonly { readonly name: string; readonly claim: string }[];
    };

const RUNTIME_LABEL = 'vimana.io/runtime';

/** Plans the next step of a snapshot that is not captured yet. */
export function planSnapshot(view: SnapshotView, settings: SnapshotSettings): SnapshotStep {
  const { snapshot, source, before, now } = view;
  const { metadata } = snapshot;
  const until = Date.parse(metadata.creationTimestamp ?? '') + settings.waitMs;
  const wait: Wait = (reason, message) => {
    if (now < until) return { do: 'wait', reason, message: `${message}; waiting until ${timestamp(until)}`, until };
    return { do: 'fail', reason, message: `${message}; timed out after waiting since ${metadata.creationTimestamp}` };
  };
  if (view.denial !== undefined) return fail(view.denial.reason, view.denial.message);
  const refusal = refusalOf(snapshot);
  if (refusal !== undefined) return fail('NotSupported', refusal);
  const what = `VirtualMachine ${snapshotVmKey(snapshot)}`;
  if (source === 'not served') return wait('NotFound', `the API group of ${what} is not managed by this operator`);
  if (source === 'missing') return wait('NotFound', `${what} not found`);
  const { vm, instance, willStart } = source;
  if (vm.metadata.deletionTimestamp !== undefined) return fail('MachineDeleted', `${what} is being deleted`);
  const migrating = migrationOf(source);
  if (migrating !== undefined)
    return fail('Migrating', `${what} ${migrating}; take the snapshot when the migration is finished`);
  if (isRestoring(vm.metadata.annotations)) return wait('Restoring', `${what} is being restored`);
  if (before !== undefined) {
    return {
      do: 'wait',
      reason: 'Waiting',
      message: `waiting for VMSnapshot ${before} of the same VM`,
      until: Number.POSITIVE_INFINITY,
    };
  }
  if (instance !== undefined && instance.metadata.deletionTimestamp !== undefined)
    return wait('Stopping', `${what} is being stopped`);
  const isStarting =
    instance === undefined ? willStart && snapshot.spec.includeMemory : instance.status?.phase !== 'Running';
  if (isStarting) return wait('Starting', `${what} is being started`);
  return planCapture(view, source, what, wait);
}

/** Decides who captures the disks of an existing VM, running or stopped. */
function planCapture(view: SnapshotView, vm: SnapshotSource, what: string, wait: Wait): SnapshotStep {
  const { metadata, spec } = view.snapshot;
  const disks = claimedDisks(vm.spec);
  if (disks.length === 0 && spec.includeMemory && vm.instance !== undefined) {
    return fail('NotSupported', `spec.includeMemory: ${what} has no disk to save the memory on`);
  }
  const kinds = new Set<string>();
  for (const { name, claim } of disks) {
    const found = view.claim(claim);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
      return wait('DiskNotFound', `PersistentVolumeClaim ${claim} of disk ${name} of ${what} not found`);
    }
    if (!isPopulated(found)) return wait('DiskNotReady', `PersistentVolumeClaim ${claim} is not populated yet`);
    if (isSimulatedClaim(found, view.storageClass)) {
      kinds.add('simulated');
      continue;
    }
    const chosen = view.classes.get(claim);
    if (chosen === undefined) return wait('DiskNotReady', `PersistentVolumeClaim ${claim} has no volume yet`);
    if ('refused' in chosen) return fail('NotSupported', `disk ${name} cannot be captured: ${chosen.refused}`);
    kinds.add('storage');
  }
  if (kinds.size > 1) {
    return fail('NotSupported', `${what} has both simulated and other disks; a snapshot can include only one kind`);
  }
  if (!kinds.has('storage')) return { do: 'capture', by: capturerOf(view, vm), machine: vm, disks };
  if (spec.includeMemory) return fail('NotSupported', 'spec.includeMemory: VolumeSnapshots can only include disks');
  if (namespaceOf(view.snapshot) !== metadata.namespace) {
    return fail(
      'NotSupported',
      'VolumeSnapshots are created in the namespace of the VM: the VMSnapshot must be in the same namespace',
    );
  }
  return { do: 'capture', by: 'storage', machine: vm, disks };
}

type Wait = (reason: string, message: string) => SnapshotStep;

const fail = (reason: string, message: string): SnapshotStep => ({
  do: 'fail',
  reason,
  message: `${message}; nothing was changed`,
});

function refusalOf({ spec }: Snapshot): string | undefined {
  const { location, storageClass } = spec.destination ?? {};
  if (location !== undefined)
    return 'spec.destination.location: copying snapshots to another location is not supported';
  if (storageClass !== undefined) return 'spec.destination.storageClass: snapshots are stored with the disks';
  return undefined;
}

function migrationOf({ instance }: SnapshotSource): string | undefined {
  const { migrationUid, completed, targetNode } = instance?.status?.migrationState ?? {};
  if (migrationUid === undefined || completed === true) return undefined;
  return `is being migrated${targetNode === undefined ? '' : ` to ${targetNode}`}`;
}

/** Reports whether the contents of a claim are in its annotation. */
export function isSimulatedClaim(
  { metadata, spec }: PersistentVolumeClaim,
  storageClass: SnapshotView['storageClass'],
): boolean {
  const found = storageClass(spec.storageClassName ?? '');
  if (found !== undefined) return found.provisioner === SIMULATED_PROVISIONER;
  return metadata.annotations?.[DISK_CONTENTS_ANNOTATION] !== undefined;
}

/** Returns the capturer. KWOK nodes have no node agent, and there may be no node at all while VMs are stopped. */
function capturerOf({ node, anyNode }: SnapshotView, { instance }: SnapshotSource): Capturer {
  if (instance === undefined) return anyNode === undefined ? 'operator' : { node: anyNode };
  const name = instance.status?.nodeName ?? '';
  return node(name)?.metadata.labels?.[RUNTIME_LABEL] === undefined ? 'operator' : { node: name };
}

/** Reports whether a node has a live node agent of ours. */
export function isAble({ metadata, status }: Node): boolean {
  return (
    metadata.labels?.[RUNTIME_LABEL] !== undefined &&
    metadata.deletionTimestamp === undefined &&
    conditionOf(status?.conditions, 'Ready')?.status === 'True'
  );
}
