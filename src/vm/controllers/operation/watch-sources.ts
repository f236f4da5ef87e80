import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { resourceTypeFor, VMIMS, VMIS } from '#api/kubevirt/resources';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Context, type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { type Dialect, vmName } from '#vm/engine/dialect';
import { bySnapshot, creatorKeys, operationsByVm, waitingForDisk } from './indices.ts';
import { hasStarted, hasYielded, isFinished, OPERATIONS, type VmRef, vmKey, vmRefOf } from './operation.ts';
import { nextInQueue, runnableOperations } from './operation-queue.ts';
import { queueStateFrom } from './queue-state.ts';

/** Returns the watches that determine which operations to reconcile when other objects change. */
export function watchSources(dialects: readonly Dialect[], begun: ReadonlySet<string>): WatchSource[] {
  /** Returns the operations whose turn it is on a VM. Those behind wait for them. */
  const concerned = (ref: VmRef, context: Pick<Context, 'cache'>) =>
    runnableOperations(context.cache(OPERATIONS).by(operationsByVm, vmKey(ref)), queueStateFrom(begun, context)).map(
      keyOf,
    );

  return [
    ...dialects.map((dialect) =>
      watchSource(resourceTypeFor(dialect.kind), (vm, context) => {
        const { namespace, name } = vm.metadata;
        return [...concerned({ group: dialect.kind.group, namespace, name }, context), ...makersOf(vm, context)];
      }),
    ),
    // A clone depends on its claims, which others may create, and on those that it copies.
    watchSource(PERSISTENT_VOLUME_CLAIMS, (claim, context) => [
      ...[...context.cache(OPERATIONS).by(waitingForDisk, claim.metadata.namespace ?? '')].map(keyOf),
      ...makersOf(claim, context),
      ...dialects.flatMap((dialect) => ownedMakers(claim, dialect, context)),
    ]),
    watchSource(VM_SNAPSHOTS, (snapshot, context) => [
      ...makersOf(snapshot, context),
      ...[...context.cache(OPERATIONS).by(bySnapshot, keyOf(snapshot))].flatMap((operation) => [
        keyOf(operation),
        // Operations behind it start or stop waiting for it.
        ...concerned(vmRefOf(operation), context),
      ]),
    ]),
    watchSource(VMIMS, makersOf),
    watchSource(VMIS, ({ metadata }, context) =>
      dialects.flatMap((dialect) => {
        const name = vmName(dialect, metadata.name);
        return name === undefined
          ? []
          : concerned({ group: dialect.kind.group, namespace: metadata.namespace, name }, context);
      }),
    ),
    // An operation that finished, was deleted or yields lets the next one start, and no longer blocks the one behind
    // it.
    watchSource(OPERATIONS, (operation, context, { type, object }) => {
      const makesRoom = type === 'deleted' || isFinished(operation) || hasYielded(operation);
      if (operation !== object || !makesRoom) return [];
      const ref = vmRefOf(operation);
      const left = [...context.cache(OPERATIONS).by(operationsByVm, vmKey(ref))];
      const standing = queueStateFrom(begun, context);
      const next = nextInQueue(operation, left, standing);
      // Operations that run concurrently with it have already started.
      const current = runnableOperations(left, standing).filter(
        (each) => !hasStarted(each) && !begun.has(each.metadata.uid),
      );
      return [...current, ...(next === undefined || hasStarted(next) ? [] : [next])].map(keyOf);
    }),
  ];
}

/** Returns the operation that created an object, while it is in progress. */
const makersOf = (object: KubeObject, { cache }: Pick<Context, 'cache'>) =>
  creatorKeys(object).filter((key) => {
    const operation = cache(OPERATIONS).get(key);
    return operation !== undefined && !isFinished(operation);
  });

/** Returns the operation that created the VM that owns an object. */
function ownedMakers({ metadata }: KubeObject, { kind }: Dialect, context: Context): string[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || owner.kind !== kind.kind || owner.apiVersion !== kind.apiVersion) return [];
  const vm = context.cache(resourceTypeFor(kind)).get(keyIn(metadata.namespace, owner.name));
  return vm === undefined ? [] : makersOf(vm, context);
}
