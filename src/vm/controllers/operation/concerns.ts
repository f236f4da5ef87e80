import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { resourceOfKind, VMIMS, VMIS } from '#api/kubevirt/resources';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Context, type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { type Dialect, vmName } from '#vm/engine/dialect';
import { byMachine, bySnapshot, makerOf, waitingForDisk } from './indices.ts';
import { hasBegun, hasStoodAside, isOver, type MachineRef, machineKey, machineOf, OPERATIONS } from './operation.ts';
import { standingIn } from './standing.ts';
import { currentOf, nextAfter } from './turn.ts';

/** Which operations are looked at again when something else changes. */
export function concerns(dialects: readonly Dialect[], begun: ReadonlySet<string>): WatchSource[] {
  /** What happens to a machine concerns the operations whose turn it is; those behind wait for them. */
  const concerned = (ref: MachineRef, context: Pick<Context, 'cache'>) =>
    currentOf(context.cache(OPERATIONS).by(byMachine, machineKey(ref)), standingIn(begun, context)).map(keyOf);

  return [
    ...dialects.map((dialect) =>
      watchSource(resourceOfKind(dialect.kind), (vm, context) => {
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
        ...concerned(machineOf(operation), context),
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
      const makesRoom = type === 'deleted' || isOver(operation) || hasStoodAside(operation);
      if (operation !== object || !makesRoom) return [];
      const ref = machineOf(operation);
      const left = [...context.cache(OPERATIONS).by(byMachine, machineKey(ref))];
      const standing = standingIn(begun, context);
      const next = nextAfter(operation, left, standing);
      // Those that go beside it have begun already.
      const current = currentOf(left, standing).filter((each) => !hasBegun(each) && !begun.has(each.metadata.uid));
      return [...current, ...(next === undefined || hasBegun(next) ? [] : [next])].map(keyOf);
    }),
  ];
}

/** The operation that has made something, while it is under way. */
const makersOf = (object: KubeObject, { cache }: Pick<Context, 'cache'>) =>
  makerOf(object).filter((key) => {
    const operation = cache(OPERATIONS).get(key);
    return operation !== undefined && !isOver(operation);
  });

/** The operation that has made the machine that something belongs to. */
function ownedMakers({ metadata }: KubeObject, { kind }: Dialect, context: Context): string[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || owner.kind !== kind.kind || owner.apiVersion !== kind.apiVersion) return [];
  const vm = context.cache(resourceOfKind(kind)).get(keyIn(metadata.namespace, owner.name));
  return vm === undefined ? [] : makersOf(vm, context);
}
