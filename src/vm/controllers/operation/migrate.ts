import { vmOperation } from '#api/hypersdk/vm-operation';
import { VMIMS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { MIGRATION_CONFIGURATION } from '#api/operation-request';
import { conditionOf } from '#platform/kube/kinds/condition';
import { bytesPerSecond } from './bandwidth.ts';
import { creatorAnnotations } from './creator.ts';
import type { Checkpoint, Operation, Result } from './operation.ts';
import {
  type AbortResult,
  fail,
  NOT_YET,
  type OperationHandler,
  type StepResult,
  type WriteAction,
} from './operation-handler.ts';
import { type ActiveOperationView, hasUnfinishedMigration, isEvacuating, powerState } from './operation-view.ts';

export const HOSTNAME = 'kubernetes.io/hostname';

/** Live-migrates the VM with a VirtualMachineInstanceMigration. */
export const liveMigration: OperationHandler = {
  // The migration is deleted with the operation by its owner reference, unless it is in another namespace.
  needsFinalizer: ({ operation, ref }) => operation.metadata.namespace !== ref.namespace,
  begin(view) {
    const { live, isRunning, willStart } = powerState(view);
    const { operation } = view;
    const already = placementResult(view);
    if (already !== undefined) return already;
    if (!isRunning && (willStart || live !== undefined)) return NOT_YET;
    if (live === undefined)
      return fail('WrongPowerState', 'the VM is not running: nothing has been changed; start it first');
    if (hasUnfinishedMigration(view)) {
      const { targetNode = '' } = live.status?.migrationState ?? {};
      return fail('Migrating', `the VM is already migrating to node ${targetNode}: nothing has been changed`);
    }
    const fixed = conditionOf(live.status?.conditions, 'LiveMigratable');
    if (fixed?.status === 'False') {
      const why = `${fixed.message ?? ''} (${fixed.reason ?? ''})`;
      const message = `the VM cannot be live-migrated: ${why}; nothing has been changed; set migrateSpec.live to false to stop it and start it on another node`;
      return fail('NotLiveMigratable', message);
    }
    const sourceNode = live.status?.nodeName ?? '';
    return {
      to: 'continue',
      checkpoint: { step: 'Migrating', instanceUID: live.metadata.uid },
      progress: 5,
      message: `the VM is leaving node ${sourceNode}`,
      result: { sourceNode, live: true },
      actions: [makeMigration(operation, live, view)],
    };
  },
  advance: awaitMigration,
  abort(view, checkpoint): AbortResult {
    const vmim = view.lookups.migration(migrationName(view.operation));
    if (vmim === undefined || isDone(vmim)) {
      const over = awaitMigration(view, checkpoint);
      const node = view.instance?.status?.nodeName ?? '';
      const arrived =
        over.to === 'succeed' ? `the migration to node ${node} had already completed` : `the VM is on node ${node}`;
      return { finished: true, stays: arrived, ...(over.to === 'succeed' ? { result: over.result ?? {} } : {}) };
    }
    const { name, uid, deletionTimestamp } = vmim.metadata;
    return {
      finished: false,
      actions: deletionTimestamp === undefined ? [{ do: 'remove', type: VMIMS, name, uid }] : [],
    };
  },
};

/** Returns the result if the requested node does not exist, or the VM is already on it. */
export function placementResult(view: ActiveOperationView): StepResult | undefined {
  const { operation, lookups, instance } = view;
  const { targetNode = '' } = operation.spec.migrateSpec ?? {};
  if (targetNode === '') return undefined;
  const node = lookups.node(targetNode);
  if (node === undefined) return fail('NodeNotFound', `node ${targetNode} not found: nothing has been changed`);
  const isThere = instance?.status?.nodeName === targetNode && instance.status.phase === 'Running';
  if (node.spec?.unschedulable === true) {
    const still = isThere ? ', and the VM is about to leave it' : '';
    const message = `node ${targetNode} is cordoned${still}: nothing has been changed`;
    return fail('NodeUnschedulable', message);
  }
  if (!isThere) return undefined;
  if (isEvacuating(view)) {
    const message = `the VM is about to leave node ${targetNode}: nothing has been changed; try again when it is on another node`;
    return fail('Migrating', message);
  }
  const message = `the VM is already on node ${targetNode}`;
  return { to: 'succeed', message, result: { sourceNode: targetNode, targetNode, live: true } };
}

const migrationName = ({ metadata }: Operation) => `vmop-${metadata.uid}`;

/** Returns the hostname label by which a scheduler identifies the node. */
export function hostnameOf({ lookups }: Pick<ActiveOperationView, 'lookups'>, node: string): string {
  return lookups.node(node)?.metadata.labels?.[HOSTNAME] ?? node;
}

function makeMigration(operation: Operation, instance: Vmi, view: ActiveOperationView): WriteAction {
  const { metadata, spec } = operation;
  const { targetNode = '', bandwidth, autoConverge, postCopy } = spec.migrateSpec ?? {};
  const rate = bandwidth === undefined ? undefined : bytesPerSecond(bandwidth);
  const configuration = {
    allowAutoConverge: autoConverge ?? true,
    allowPostCopy: postCopy ?? false,
    ...(rate === undefined ? {} : { bandwidthPerMigration: `${rate}` }),
  };
  return {
    do: 'create',
    type: VMIMS,
    object: {
      metadata: {
        name: migrationName(operation),
        namespace: instance.metadata.namespace,
        ...(metadata.namespace === instance.metadata.namespace ? { ownerReferences: [ownedBy(operation)] } : {}),
        annotations: {
          ...creatorAnnotations(operation),
          [MIGRATION_CONFIGURATION]: JSON.stringify(configuration),
        },
      },
      spec: {
        vmiName: instance.metadata.name,
        ...(targetNode === '' ? {} : { addedNodeSelector: { [HOSTNAME]: hostnameOf(view, targetNode) } }),
      },
    },
  };
}

/** Makes the operation the owner of the migration, which nobody could cancel without it. */
const ownedBy = ({ metadata: { name, uid } }: Operation) => ({
  apiVersion: vmOperation.apiVersion,
  kind: vmOperation.kind,
  name,
  uid,
});

const isDone = ({ status }: Vmim) => status?.phase === 'Succeeded' || status?.phase === 'Failed';

function awaitMigration(view: ActiveOperationView, { subjectUID, instanceUID, since }: Checkpoint): StepResult {
  const { operation, instance, lookups } = view;
  const vmim = lookups.migration(migrationName(operation));
  if (vmim === undefined) {
    if (subjectUID !== undefined) return fail('MigrationDeleted', `its migration was deleted: ${formatLocation(view)}`);
    if (instance === undefined || instance.metadata.uid !== instanceUID || !powerState(view).isRunning)
      return fail('Stopped', 'the VM stopped before the migration started');
    return { to: 'continue', actions: [makeMigration(operation, instance, view)] };
  }
  const { failureReason = 'the migration failed', targetNode } = vmim.status?.migrationState ?? {};
  if (vmim.status?.phase === 'Succeeded') {
    const result = resultOf(vmim);
    return { to: 'succeed', message: `the VM is running on node ${targetNode ?? ''}`, result };
  }
  if (vmim.status?.phase === 'Failed') return fail('MigrationFailed', `${failureReason}; ${formatLocation(view)}`);
  return {
    to: 'continue',
    ...(subjectUID === undefined ? { checkpoint: { subjectUID: vmim.metadata.uid } } : {}),
    ...progressOf(vmim, instance, view.now),
    ...(targetNode === undefined
      ? delayMessage(vmim, view, since)
      : { message: `the VM is migrating to node ${targetNode}` }),
  };
}

/** Delay before it is reported that a migration has not started. Most start at once. */
const QUIET_MS = 2000;

/** Returns why a migration has not started, once that is worth reporting. */
function delayMessage({ status }: Vmim, { instance, now }: ActiveOperationView, since: string | undefined) {
  const unplaced = conditionOf(status?.conditions, 'TargetScheduled');
  if (unplaced?.status === 'False') return { message: `no node fits the VM yet: ${unplaced.message ?? ''}` };
  if ((status?.phase ?? 'Pending') !== 'Pending') return {};
  const quiet = Date.parse(since ?? '') + QUIET_MS - now;
  if (quiet > 0) return { requeueAfterMs: quiet };
  const node = instance?.status?.nodeName ?? '';
  return {
    message: `the migration from node ${node} waits for others to finish: the number of parallel migrations in the cluster and from one node is limited`,
  };
}

function formatLocation(view: ActiveOperationView): string {
  const { nodeName = '' } = view.instance?.status ?? {};
  return nodeName === '' || !powerState(view).isRunning ? 'the VM is not running' : `the VM is on node ${nodeName}`;
}

/** Step of the reported progress in percent, so that the status is not written for every page of memory. */
const STEP = 20;
/** Returns the progress, and when the next step is due. */
function progressOf({ metadata, status }: Vmim, instance: Vmi | undefined, now: number) {
  const { phase = 'Pending' } = status ?? {};
  // The phases before the transfer pass quickly.
  if (phase !== 'Running') return { progress: 5 };
  const state = instance?.status?.migrationState;
  const known = state?.migrationUid === metadata.uid ? state : status?.migrationState;
  const [begun, ends] = [known?.startTimestamp, known?.expectedEndTimestamp].map((time) => Date.parse(time ?? ''));
  if (begun === undefined || ends === undefined || !(ends > begun)) return { progress: 10 };
  const steps = Math.min(Math.floor((((now - begun) / (ends - begun)) * 100) / STEP), 100 / STEP - 1);
  const next = begun + ((steps + 1) * STEP * (ends - begun)) / 100;
  return { progress: 10 + steps * (STEP - 2), ...(next > now ? { requeueAfterMs: next - now } : {}) };
}

function resultOf({ status }: Vmim): Result {
  const { sourceNode, targetNode, downtimeMs, transferredBytes } = status?.migrationState ?? {};
  return {
    ...(sourceNode === undefined ? {} : { sourceNode }),
    ...(targetNode === undefined ? {} : { targetNode }),
    live: true,
    ...(downtimeMs === undefined ? {} : { downtimeMs }),
    ...(transferredBytes === undefined ? {} : { transferredBytes }),
  };
}
