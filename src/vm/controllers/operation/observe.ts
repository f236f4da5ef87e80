import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { resourceTypeFor, VMIMS, VMIS } from '#api/kubevirt/resources';
import { DEFAULT_NODE } from '#api/launcher-load';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { byController, controllerKey } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import { type Dialect, instanceName } from '#vm/engine/dialect';
import { ownership } from '#vm/engine/instance-state';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import type { AnyVm } from '#vm/engine/vm-scope';
import { firstCrossNamespaceDenial } from '#vm/storage/namespace-grant';
import { fetchUsage } from './fetch-usage.ts';
import { operationsByVm } from './indices.ts';
import { hasStarted, isFinished, OPERATIONS, type Operation, type VmRef, vmKey, vmRefOf } from './operation.ts';
import { blockingOperation } from './operation-queue.ts';
import type { OperationView } from './operation-view.ts';
import { queueStateFrom } from './queue-state.ts';

/** Facts about operations beside the objects of the cluster. */
interface OperationEnvironment {
  readonly dialects: readonly Dialect[];
  readonly providers: DependencyProviders;
  readonly onlyNamespace: string | undefined;
  /** Operations, by uid, whose start the cache may not show yet. */
  readonly started: ReadonlySet<string>;
}

/** Facts about an operation that only the server knows. */
type ServerFacts = Pick<OperationView, 'denial' | 'usage'>;

/** Fetches from the server what caches do not show. */
export async function fetchServerFacts(
  operation: Operation,
  known: OperationEnvironment,
  context: Context,
): Promise<ServerFacts> {
  const { instance } = observeVm(vmRefOf(operation), known, context);
  const measured = operation.spec.operation === 'resize' && !hasStarted(operation) && instance !== undefined;
  return {
    denial: await denialFor(operation, known, context),
    usage: measured
      ? await fetchUsage(context.client, instance, context.cache(PODS).by(byController, controllerKey(instance)))
      : undefined,
  };
}

/** Collects the current state that an operation is decided by. */
export function observeOperation(
  operation: Operation,
  answers: ServerFacts,
  known: OperationEnvironment,
  context: Context,
): OperationView {
  const { cache, clock } = context;
  const ref = vmRefOf(operation);
  const { dialect, vm, instance } = observeVm(ref, known, context);
  return {
    operation,
    ref,
    dialect,
    vm,
    instance,
    ...answers,
    blockedBy: blockingOperation(
      operation,
      cache(OPERATIONS).by(operationsByVm, vmKey(ref)),
      queueStateFrom(known.started, context),
    ),
    lookups: {
      node: (name) => cache(NODES).get(name),
      migration: (name) => cache(VMIMS).get(keyIn(ref.namespace, name)),
      snapshot: (name) => cache(VM_SNAPSHOTS).get(keyIn(ref.namespace, name)),
      vm: (namespace, name) =>
        dialect === undefined ? undefined : cache(resourceTypeFor(dialect.kind)).get(keyIn(namespace, name)),
      claim: (namespace, name) => cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name)),
      origins: {
        claim: (namespace, name) => cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name)),
        snapshot: (namespace, name) => cache(VM_SNAPSHOTS).get(keyIn(namespace, name)),
        storageClass: (name) => cache(STORAGE_CLASSES).get(name),
      },
      dependencies: (vm) => dependenciesOf(dialect, vm, known.providers, context),
    },
    now: clock.now(),
  };
}

/** Returns the VM that an operation references, with its own instance. */
function observeVm(
  { group, namespace, name }: VmRef,
  { dialects }: OperationEnvironment,
  { cache }: Context,
): Pick<OperationView, 'dialect' | 'vm' | 'instance'> {
  const dialect = dialects.find(({ kind }) => kind.group === group);
  if (dialect === undefined) return { dialect, vm: undefined, instance: undefined };
  const vm = cache(resourceTypeFor(dialect.kind)).get(keyIn(namespace, name));
  const named = cache(VMIS).get(keyIn(namespace, instanceName(dialect, name)));
  const isOwn = named !== undefined && vm !== undefined && ownership(named, vm.metadata.uid) === 'own';
  return { dialect, vm, instance: isOwn ? named : undefined };
}

/**
 * Returns why an operation is never executed. A started one is checked again with every step, since only its status
 * says that it has started, and a namespace may have revoked its permission.
 */
async function denialFor(
  operation: Operation,
  { dialects, onlyNamespace }: OperationEnvironment,
  { cache, client }: Context,
) {
  if (isFinished(operation)) return undefined;
  const { group, namespace } = vmRefOf(operation);
  const { metadata, spec } = operation;
  const served: readonly string[] = dialects.map(({ kind }) => kind.group);
  if (!served.includes(group) && !hasStarted(operation))
    return {
      reason: 'NotServed',
      message: `API group ${group} is not managed by this operator, which manages ${served.join(', ')}`,
    };
  const target = spec.operation === 'clone' ? spec.cloneSpec?.targetNamespace || namespace : namespace;
  const grants = { namespace: (name: string) => cache(NAMESPACES).get(name), only: onlyNamespace };
  return await firstCrossNamespaceDenial(metadata.namespace, [namespace, target], grants, client);
}

function dependenciesOf(
  dialect: Dialect | undefined,
  vm: AnyVm,
  providers: DependencyProviders,
  context: Context,
): VmDependencies {
  const requested = dialect?.dependencies?.includes('template') === true ? providers.template : undefined;
  const template = requested?.provide(vm, context);
  return { referenceNode: DEFAULT_NODE, ...(template === undefined ? {} : { template }) };
}
