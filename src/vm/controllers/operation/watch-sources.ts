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

/** Which operations are looked at again when something else changes. */
export function watchSources(dialects: readonly Dialect[], begun: ReadonlySet<string>): WatchSource[] {
  /** What happens to a machine concerns the operations whose turn it is; those behind wait for them. */
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
    // The claims of a clone, which may be made by others, and those that it is to be made from.
    watchSource(PERSISTENT_VOLUME_CLAIMS, (claim, context) => [
      ...[...context.cache(OPERATIONS).by(waitingForDisk, claim.metadata.namespace ?? '')].map(keyOf),
      ...makersOf(claim, context),
      ...dialects.flatMap((dialect) => ownedMakers(claim, dialect, context)),
    ]),
    watchSource(VM_SNAPSHOTS, (snapshot, context) => [
      ...makersOf(snapshot, context),
      ...[...context.cache(OPERATIONS).by(bySnapshot, keyOf(snapshot))].flatMap((operation) => [
        keyOf(operation),
        // Those behind it wait for it, or no longer.
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
    // One that is over, or gone, or stands aside makes room for the next, and is not waited for by the one behind it.
    watchSource(OPERATIONS, (operation, context, { type, object }) => {
      const makesRoom = type === 'deleted' || isFinished(operation) || hasYielded(operation);
      if (operation !== object || !makesRoom) return [];
      const ref = vmRefOf(operation);
      const left = [...context.cache(OPERATIONS).by(operationsByVm, vmKey(ref))];
      const standing = queueStateFrom(begun, context);
      const next = nextInQueue(operation, left, standing);
      // Those that go beside it have begun already.
      const current = runnableOperations(left, standing).filter(
        (each) => !hasStarted(each) && !begun.has(each.metadata.uid),
      );
      return [...current, ...(next === undefined || hasStarted(next) ? [] : [next])].map(keyOf);
    }),
  ];
}

/** The operation that has made something, while it is under way. */
const makersOf = (object: KubeObject, { cache }: Pick<Context, 'cache'>) =>
  creatorKeys(object).filter((key) => {
    const operation = cache(OPERATIONS).get(key);
    return operation !== undefined && !isFinished(operation);
  });

/** The operation that has made the machine that something belongs to. */
function ownedMakers({ metadata }: KubeObject, { kind }: Dialect, context: Context): string[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || owner.kind !== kind.kind || owner.apiVersion !== kind.apiVersion) return [];
  const vm = context.cache(resourceTypeFor(kind)).get(keyIn(metadata.namespace, owner.name));
  return vm === undefined ? [] : makersOf(vm, context);
}
