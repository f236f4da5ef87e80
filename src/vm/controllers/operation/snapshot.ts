import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { conditionOf } from '#platform/kube/kinds/condition';
import { namedVmOf } from '#vm/storage/disk/active-clone';
import { creatorAnnotations, isCreatedBy } from './creator.ts';
import { describeVm, type Operation, vmKey } from './operation.ts';
import {
  type AbortResult,
  fail,
  NOT_YET,
  type OperationHandler,
  type StepResult,
  stays,
  type WriteAction,
} from './operation-handler.ts';
import { type ActiveOperationView, hasUnfinishedMigration, powerState } from './operation-view.ts';

/** Creates a VMSnapshot of the VM and waits until it is ready. The snapshot outlives the operation. */
export const snapshot: OperationHandler = {
  begin(view) {
    if (hasUnfinishedMigration(view))
      return fail(
        'Migrating',
        'the VM is migrating to another node: nothing has been changed; take the snapshot when the migration is finished',
      );
    const { live, isRunning, willStart } = powerState(view);
    const waits = view.dialect.startGate?.(view.vm)?.waits !== undefined;
    const isToRun = view.instance === undefined ? willStart && !waits : live !== undefined && !isRunning;
    if (view.operation.spec.snapshotSpec?.includeMemory === true && isToRun) return NOT_YET;
    const name = nameOf(view.operation);
    const found = view.lookups.snapshot(name);
    if (found !== undefined && !isCreatedBy(found, view.operation))
      return fail('AlreadyExists', `VMSnapshot ${view.ref.namespace}/${name} already exists: nothing has been changed`);
    return {
      to: 'continue',
      checkpoint: { step: 'Capturing' },
      progress: 10,
      message: `VMSnapshot ${name} is being created`,
      actions: [awaitSnapshot(view)],
    };
  },
  advance(view, { subjectUID }) {
    const { operation, lookups } = view;
    const name = nameOf(operation);
    const found = lookups.snapshot(name);
    if (found === undefined || !isCreatedBy(found, operation)) {
      if (subjectUID !== undefined)
        return fail('SnapshotDeleted', `VMSnapshot ${name} was deleted before it was ready`);
      return { to: 'continue', actions: [awaitSnapshot(view)] };
    }
    const { phase = 'Pending' } = found.status ?? {};
    if (phase === 'Ready' || phase === 'Expired') {
      const includeMemory = found.status?.memoryBytes !== undefined;
      return { to: 'succeed', message: `VMSnapshot ${name} is ready`, result: { snapshotName: name, includeMemory } };
    }
    if (phase === 'Failed') return fail('SnapshotFailed', failureMessage(found));
    if (found.metadata.deletionTimestamp !== undefined)
      return fail('SnapshotDeleted', `VMSnapshot ${name} was deleted before it was ready`);
    if (phase === 'Pending') {
      const why = conditionOf(found.status?.conditions, 'Ready')?.message ?? '';
      return { to: 'continue', ...(why === '' ? {} : { message: `VMSnapshot ${name} is waiting: ${why}` }) };
    }
    return {
      to: 'continue',
      progress: 50,
      ...(subjectUID === undefined ? { checkpoint: { subjectUID: found.metadata.uid } } : {}),
    };
  },
  abort({ operation, lookups }): AbortResult {
    const found = lookups.snapshot(nameOf(operation));
    if (found === undefined || !isCreatedBy(found, operation)) return stays('no snapshot was created');
    const { name, uid } = found.metadata;
    if (found.status?.phase === 'Ready') return stays(`VMSnapshot ${name} was already ready and is retained`);
    const why = conditionOf(found.status?.conditions, 'Ready')?.message ?? '';
    return {
      finished: true,
      stays: `the snapshot is deleted${why === '' ? '' : `; its last state was: ${why}`}`,
      actions: [{ do: 'remove', type: VM_SNAPSHOTS, name, uid }],
    };
  },
};

const nameOf = ({ metadata, spec }: Operation) => spec.snapshotSpec?.name ?? metadata.name;

function awaitSnapshot({ operation, ref }: ActiveOperationView): WriteAction {
  const { spec } = operation;
  const { description, includeMemory = false, quiesce = true } = spec.snapshotSpec ?? {};
  return {
    do: 'create',
    type: VM_SNAPSHOTS,
    object: {
      metadata: {
        name: nameOf(operation),
        namespace: ref.namespace,
        annotations: creatorAnnotations(operation),
      },
      spec: {
        vmRef: { name: ref.name, apiGroup: ref.group, kind: 'VirtualMachine' },
        includeMemory,
        quiesce,
        ...(description === undefined ? {} : { description }),
      },
    },
  };
}

function failureMessage({ metadata, status }: Snapshot): string {
  const message =
    conditionOf(status?.conditions, 'Failed')?.message ?? conditionOf(status?.conditions, 'Ready')?.message;
  return message === undefined || message === '' ? `VMSnapshot ${metadata.name} failed` : message;
}

/** Returns a snapshot that the VM can be restored to, or the result that says why there is none. */
export function usable(
  { lookups, ref }: ActiveOperationView,
  name: string,
): { readonly ready: Snapshot } | { readonly turn: StepResult } {
  const found = lookups.snapshot(name);
  const words = `VMSnapshot ${ref.namespace}/${name}`;
  const rejected = (reason: string, why: string) => ({
    turn: fail(reason, `${words} ${why}: nothing has been changed`),
  });
  if (found === undefined) return { turn: { to: 'wait', reason: 'NotFound', message: `${words} not found` } };
  const of = namedVmOf(found);
  // A VM of another namespace is not disclosed to the requester.
  const whose =
    of.namespace === ref.namespace ? `a snapshot of ${describeVm(of)}` : `not a snapshot of ${describeVm(ref)}`;
  if (vmKey(of) !== vmKey(ref)) return rejected('WrongMachine', `is ${whose}`);
  if (found.status?.phase === 'Failed' || found.metadata.deletionTimestamp !== undefined)
    return rejected('SnapshotUnusable', 'cannot be used: it has failed or is being deleted');
  if (found.status?.readyToRestore === true) return { ready: found };
  return { turn: { to: 'wait', reason: 'NotReady', message: `${words} is not ready` } };
}
