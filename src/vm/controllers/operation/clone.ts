import { type DiskSource, RESTORE_ANNOTATION, RESTORE_FAILED_ANNOTATION, RESTORED_ANNOTATION } from '#api/disk/request';
import { resourceTypeFor } from '#api/kubevirt/resources';
import { OPERATION, OPERATION_UID, START_AWAY_FROM, START_NOW, START_ON } from '#api/operation-request';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { ownerReference } from '#vm/engine/instance';
import type { AnyVm } from '#vm/engine/vm-scope';
import { isPopulated } from '#vm/storage/disk/claim-disks';
import { atLeast } from '#vm/storage/disk/claim-volume';
import { copiedDisk } from '#vm/storage/disk/copied-disk';
import { claimsIn, claimsThatAre, cloneDenial } from './clone-volumes.ts';
import { creatorAnnotations, isCreatedBy } from './creator.ts';
import type { Checkpoint } from './operation.ts';
import {
  type AbortResult,
  fail,
  type OperationHandler,
  type StepResult,
  stays,
  type WriteAction,
} from './operation-handler.ts';
import type { ActiveOperationView } from './operation-view.ts';
import { usable } from './snapshot.ts';

/** Creates another VM of the same API group, with disks of its own that hold the same data. */
export const clone: OperationHandler = {
  // The claims are created here, or created and populated on the authority of the operation, which only holds while it
  // is in progress.
  needsFinalizer: () => true,
  begin(view) {
    const { dialect, operation } = view;
    if (dialect.cloneVmSpec === undefined) return fail('NotSupported', `VMs of ${dialect.kind.group} cannot be cloned`);
    const { name, namespace } = targetOf(view);
    const taken = view.lookups.vm(namespace, name);
    if (taken !== undefined && !isCreatedBy(taken, operation))
      return fail(
        'AlreadyExists',
        `VirtualMachine.${dialect.kind.group} ${namespace}/${name} already exists: nothing has been changed`,
      );
    const disks = disksToCopy(view);
    if (!Array.isArray(disks)) return disks;
    const claimed = disks.find(({ claim }) => view.lookups.claim(namespace, claim) !== undefined);
    if (claimed !== undefined && taken === undefined)
      return fail(
        'AlreadyExists',
        `PersistentVolumeClaim ${namespace}/${claimed.claim}, required for disk ${claimed.volume} of the clone, already exists: nothing has been changed`,
      );
    const { snapshotRef } = operation.spec.cloneSpec ?? {};
    return {
      to: 'continue',
      checkpoint: { step: 'Cloning', ...copiesCheckpoint(view, disks) },
      progress: 10,
      message: `VirtualMachine ${namespace}/${name} is being created`,
      result: {
        targetVM: name,
        targetNamespace: namespace,
        ...(snapshotRef === undefined ? {} : { sourceSnapshot: snapshotRef }),
      },
      actions: [makeMachine(view, disks)],
    };
  },
  advance(view) {
    const { operation, lookups, dialect } = view;
    const { name, namespace } = targetOf(view);
    const target = lookups.vm(namespace, name);
    const disks = disksToCopy(view);
    if (!Array.isArray(disks)) return disks.to === 'wait' ? { to: 'continue' } : disks;
    if (target === undefined) return { to: 'continue', actions: [makeMachine(view, disks)] };
    if (!isCreatedBy(target, operation))
      return fail('AlreadyExists', `VirtualMachine.${dialect.kind.group} ${namespace}/${name} already exists`);
    const actions = dialect.claimOf === undefined ? claimsToMake(view, target, disks) : [];
    if (actions.length > 0) return { to: 'continue', actions };
    const full = disks.every(({ claim }) => {
      const found = lookups.claim(namespace, claim);
      return found !== undefined && isPopulated(found);
    });
    if (!full) return { to: 'continue' };
    const claims = disks.map((disk) => disk.claim);
    const awaited = claimsThatAre('awaited', namespace, claims, lookups);
    if (awaited !== '') return { to: 'continue', progress: 50, message: `waiting for the volume of ${awaited}` };
    const later = claimsThatAre('later', namespace, claims, lookups);
    const rest =
      later === ''
        ? ' with its disks'
        : `; keep the source until the first start of the clone, which creates the volumes of ${later}`;
    return { to: 'succeed', message: `created VirtualMachine ${namespace}/${name}${rest}` };
  },
  /** Deletes the unfinished clone, and its claims with it. */
  abort(view): AbortResult {
    const { name, namespace } = targetOf(view);
    const target = view.lookups.vm(namespace, name);
    if (target === undefined || !isCreatedBy(target, view.operation)) return stays('no clone was created');
    const remove: WriteAction = {
      do: 'remove',
      type: resourceTypeFor(view.dialect.kind),
      name,
      namespace,
      uid: target.metadata.uid,
    };
    const disks = disksToCopy(view);
    const claims = Array.isArray(disks) ? disks.map(({ claim }) => claim) : [];
    const awaited = claimsThatAre('awaited', namespace, claims, view.lookups);
    const why = awaited === '' ? '' : `no volume was created for ${awaited} (see kubectl get events), and `;
    return { finished: true, stays: `${why}the unfinished clone is deleted`, actions: [remove] };
  },
};

function targetOf({ operation, ref }: ActiveOperationView): { readonly name: string; readonly namespace: string } {
  const { targetName = '', targetNamespace } = operation.spec.cloneSpec ?? {};
  return { name: targetName, namespace: targetNamespace || ref.namespace };
}

const isElsewhere = (view: ActiveOperationView) => targetOf(view).namespace !== view.ref.namespace;

/**
 * Records the source of each claim of the clone. Only these copies are allowed when the claims are created and
 * populated.
 */
function copiesCheckpoint(view: ActiveOperationView, disks: readonly Copied[]): Partial<Checkpoint> {
  if (view.dialect.claimOf === undefined && !isElsewhere(view)) return {};
  return { copies: JSON.stringify(Object.fromEntries(disks.map(({ claim, source }) => [claim, source]))) };
}

/** Disk of the VM, and the claim of its copy. */
interface Copied {
  readonly volume: string;
  readonly from: PersistentVolumeClaim;
  readonly claim: string;
  readonly source: DiskSource;
}

function disksToCopy(view: ActiveOperationView): Copied[] | StepResult {
  const { operation, dialect, vm, lookups, ref } = view;
  const { linkedClone: linked = false, snapshotRef } = operation.spec.cloneSpec ?? {};
  const target = targetOf(view);
  const kept = snapshotRef === undefined ? undefined : usable(view, snapshotRef);
  if (kept !== undefined && 'turn' in kept) return kept.turn;
  const elsewhere = target.namespace === ref.namespace ? {} : { namespace: ref.namespace };
  const copied: Copied[] = [];
  const { spec, blocked } = dialect.desiredVm(vm, lookups.dependencies(vm));
  const why = blocked === undefined ? '' : ` (${blocked.message})`;
  const claims = claimsIn(spec);
  const lost = kept?.ready.status?.disks?.find((disk) => !claims.some(({ claim }) => claim === disk.claim));
  if (lost !== undefined)
    return fail(
      'SnapshotUnusable',
      `VMSnapshot ${snapshotRef} has disk ${lost.name} (${lost.claim}), which the VM no longer has: add it to spec again, or clone from another snapshot; nothing has been changed`,
    );
  for (const { volume, claim } of claims) {
    const from = lookups.claim(ref.namespace, claim);
    if (from === undefined)
      return {
        to: 'wait',
        reason: 'NotFound',
        message: `PersistentVolumeClaim ${ref.namespace}/${claim} of disk ${volume} not found${why}`,
      };
    const refusal = cloneDenial(view, volume, from, isElsewhere(view));
    if (refusal !== undefined) return refusal;
    const saved = kept?.ready.status?.disks?.find((disk) => disk.claim === claim);
    if (kept !== undefined && saved === undefined)
      return fail(
        'SnapshotUnusable',
        `VMSnapshot ${snapshotRef} does not include disk ${volume}: nothing has been changed`,
      );
    const origin =
      saved === undefined || snapshotRef === undefined ? { claim } : { snapshot: snapshotRef, disk: saved.name };
    const source = { ...origin, ...elsewhere, ...(linked ? { linked } : {}) };
    copied.push({ volume, from, source, claim: dialect.claimOf?.(target.name, volume) ?? `${target.name}-${volume}` });
  }
  return copied;
}

/** Annotations that belong to one VM and are not cloned. */
const OWN: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  RESTORE_ANNOTATION,
  RESTORED_ANNOTATION,
  RESTORE_FAILED_ANNOTATION,
  START_ON,
  START_AWAY_FROM,
  START_NOW,
  OPERATION,
  OPERATION_UID,
]);

function makeMachine(view: ActiveOperationView, disks: readonly Copied[]): WriteAction {
  const { dialect, vm, operation, lookups } = view;
  const { name, namespace } = targetOf(view);
  const start = operation.spec.cloneSpec?.startAfterClone === true;
  const claims = new Map(disks.map(({ volume, claim }) => [volume, claim]));
  const kept = Object.entries(vm.metadata.annotations ?? {}).filter(([key]) => !OWN.has(key));
  return {
    do: 'create',
    type: resourceTypeFor(dialect.kind),
    object: {
      metadata: {
        name,
        namespace,
        ...(vm.metadata.labels === undefined ? {} : { labels: { ...vm.metadata.labels } }),
        annotations: { ...Object.fromEntries(kept), ...creatorAnnotations(operation) },
      },
      spec: dialect.cloneVmSpec?.(vm, { name, namespace, start, claims, dependencies: lookups.dependencies(vm) }) ?? {},
    },
  };
}

function claimsToMake(view: ActiveOperationView, target: AnyVm, disks: readonly Copied[]): WriteAction[] {
  const { lookups, dialect, operation } = view;
  const { namespace } = target.metadata;
  return disks.flatMap(({ claim, from, source }): WriteAction[] => {
    if (lookups.claim(namespace, claim) !== undefined) return [];
    const { accessModes, storageClassName, resources, volumeMode } = from.spec;
    const place = { namespace, storageClass: storageClassName };
    const copied = copiedDisk(source, place, lookups.origins);
    if (copied === undefined) return [];
    const { annotations, dataSource, sourceBytes = 0 } = copied;
    const storage = atLeast(resources?.requests?.['storage'], sourceBytes);
    return [
      {
        do: 'create',
        type: PERSISTENT_VOLUME_CLAIMS,
        object: {
          metadata: {
            name: claim,
            namespace,
            annotations: { ...creatorAnnotations(operation), ...annotations },
            ownerReferences: [ownerReference(dialect, target)],
          },
          spec: {
            ...(accessModes === undefined ? {} : { accessModes }),
            ...(storageClassName === undefined ? {} : { storageClassName }),
            resources: { ...resources, requests: { ...resources?.requests, storage } },
            ...(volumeMode === undefined ? {} : { volumeMode }),
            ...(dataSource === undefined ? {} : { dataSource }),
          },
        },
      },
    ];
  });
}
