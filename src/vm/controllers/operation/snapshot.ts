import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { conditionOf } from '#platform/kube/kinds/condition';
import { machineNamedBy } from '#vm/storage/disk/clone-under-way';
import { type Course, type Deed, fail, type GivingUp, NOT_YET, stays, type Turn } from './course.ts';
import { isMadeBy, marksOf } from './made.ts';
import { machineKey, type Operation, wordFor } from './operation.ts';
import { type Active, isMigrating, powerOf } from './sight.ts';

/** A VMSnapshot of the machine is ready in the end; it outlives the operation. */
export const snapshot: Course = {
  begin(sight) {
    if (isMigrating(sight))
      return fail(
        'Migrating',
        'the machine is on its way to another node: nothing has been changed; take the snapshot when it has arrived',
      );
    const { live, runs, comes } = powerOf(sight);
    const waits = sight.dialect.startGate?.(sight.vm)?.waits !== undefined;
    const isToRun = sight.instance === undefined ? comes && !waits : live !== undefined && !runs;
    if (sight.operation.spec.snapshotSpec?.includeMemory === true && isToRun) return NOT_YET;
    const name = nameOf(sight.operation);
    const found = sight.look.snapshot(name);
    if (found !== undefined && !isMadeBy(found, sight.operation))
      return fail(
        'AlreadyExists',
        `there is a VMSnapshot ${sight.ref.namespace}/${name} already: nothing has been changed`,
      );
    return {
      to: 'go on',
      checkpoint: { step: 'Capturing' },
      progress: 10,
      message: `VMSnapshot ${name} is being made`,
      deeds: [making(sight)],
    };
  },
  go(sight, { subjectUID }) {
    const { operation, look } = sight;
    const name = nameOf(operation);
    const found = look.snapshot(name);
    if (found === undefined || !isMadeBy(found, operation)) {
      if (subjectUID !== undefined)
        return fail('SnapshotDeleted', `VMSnapshot ${name} was deleted before it was ready`);
      return { to: 'go on', deeds: [making(sight)] };
    }
    const { phase = 'Pending' } = found.status ?? {};
    if (phase === 'Ready' || phase === 'Expired') {
      const includeMemory = found.status?.memoryBytes !== undefined;
      return { to: 'succeed', message: `VMSnapshot ${name} is ready`, result: { snapshotName: name, includeMemory } };
    }
    if (phase === 'Failed') return fail('SnapshotFailed', whyOf(found));
    if (found.metadata.deletionTimestamp !== undefined)
      return fail('SnapshotDeleted', `VMSnapshot ${name} was deleted before it was ready`);
    if (phase === 'Pending') {
      const why = conditionOf(found.status?.conditions, 'Ready')?.message ?? '';
      return { to: 'go on', ...(why === '' ? {} : { message: `VMSnapshot ${name} waits: ${why}` }) };
    }
    return {
      to: 'go on',
      progress: 50,
      ...(subjectUID === undefined ? { checkpoint: { subjectUID: found.metadata.uid } } : {}),
    };
  },
  giveUp({ operation, look }): GivingUp {
    const found = look.snapshot(nameOf(operation));
    if (found === undefined || !isMadeBy(found, operation)) return stays('there is no snapshot');
    const { name, uid } = found.metadata;
    if (found.status?.phase === 'Ready') return stays(`VMSnapshot ${name} was ready by then, and stays`);
    const why = conditionOf(found.status?.conditions, 'Ready')?.message ?? '';
    return {
      over: true,
      stays: `the snapshot is taken away${why === '' ? '' : `, which had come no further than this: ${why}`}`,
      deeds: [{ do: 'remove', type: VM_SNAPSHOTS, name, uid }],
    };
  },
};

const nameOf = ({ metadata, spec }: Operation) => spec.snapshotSpec?.name ?? metadata.name;

function making({ operation, ref }: Active): Deed {
  const { spec } = operation;
  const { description, includeMemory = false, quiesce = true } = spec.snapshotSpec ?? {};
  return {
    do: 'make',
    type: VM_SNAPSHOTS,
    object: {
      metadata: {
        name: nameOf(operation),
        namespace: ref.namespace,
        annotations: marksOf(operation),
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

function whyOf({ metadata, status }: Snapshot): string {
  const message =
    conditionOf(status?.conditions, 'Failed')?.message ?? conditionOf(status?.conditions, 'Ready')?.message;
  return message === undefined || message === '' ? `VMSnapshot ${metadata.name} failed` : message;
}

/** A snapshot of the machine that it can go back to; or what has to be said of it. */
export function usable({ look, ref }: Active, name: string): { readonly ready: Snapshot } | { readonly turn: Turn } {
  const found = look.snapshot(name);
  const words = `VMSnapshot ${ref.namespace}/${name}`;
  const refused = (reason: string, why: string) => ({
    turn: fail(reason, `${words} ${why}: nothing has been changed`),
  });
  if (found === undefined) return { turn: { to: 'wait', reason: 'NotFound', message: `${words} is not there` } };
  const of = machineNamedBy(found);
  // A machine of another namespace is nothing to whoever asks.
  const whose = of.namespace === ref.namespace ? `one of ${wordFor(of)}` : `none of ${wordFor(ref)}`;
  if (machineKey(of) !== machineKey(ref)) return refused('WrongMachine', `is ${whose}`);
  if (found.status?.phase === 'Failed' || found.metadata.deletionTimestamp !== undefined)
    return refused('SnapshotUnusable', 'holds nothing that could be used');
  if (found.status?.readyToRestore === true) return { ready: found };
  return { turn: { to: 'wait', reason: 'NotReady', message: `${words} is not ready` } };
}
