import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { resourceOfKind, VMIMS, VMIS } from '#api/kubevirt/resources';
import { USUAL_NODE } from '#api/launcher-load';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { firstCrossNamespaceDenial } from '#platform/kube/namespace-grant';
import { byController, controllerKey } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import { type Dialect, instanceName } from '#vm/engine/dialect';
import { ownership } from '#vm/engine/instance-state';
import type { AnyVm } from '#vm/engine/instance-writer';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { byMachine } from './indices.ts';
import { hasBegun, isOver, type MachineRef, machineKey, machineOf, OPERATIONS, type Operation } from './operation.ts';
import type { Sight } from './sight.ts';
import { standingIn } from './standing.ts';
import { aheadOf } from './turn.ts';
import { usageOf } from './usage.ts';

/** What is known of operations beside the objects of the cluster. */
interface Known {
  readonly dialects: readonly Dialect[];
  readonly gatherers: DependencyProviders;
  readonly onlyNamespace: string | undefined;
  /** Operations, by uid, whose beginning the cache may not show yet. */
  readonly begun: ReadonlySet<string>;
}

/** What only the server can say of an operation. */
type Answers = Pick<Sight, 'objection' | 'usage'>;

/** Asks the server what caches do not show. */
export async function answersTo(operation: Operation, known: Known, context: Context): Promise<Answers> {
  const { instance } = machineSight(machineOf(operation), known, context);
  const measured = operation.spec.operation === 'resize' && !hasBegun(operation) && instance !== undefined;
  return {
    objection: await objectionTo(operation, known, context),
    usage: measured
      ? await usageOf(context.client, instance, context.cache(PODS).by(byController, controllerKey(instance)))
      : undefined,
  };
}

/** All that an operation is decided by, at this moment. */
export function look(operation: Operation, answers: Answers, known: Known, context: Context): Sight {
  const { cache, clock } = context;
  const ref = machineOf(operation);
  const { dialect, vm, instance } = machineSight(ref, known, context);
  return {
    operation,
    ref,
    dialect,
    vm,
    instance,
    ...answers,
    ahead: aheadOf(operation, cache(OPERATIONS).by(byMachine, machineKey(ref)), standingIn(known.begun, context)),
    look: {
      node: (name) => cache(NODES).get(name),
      migration: (name) => cache(VMIMS).get(keyIn(ref.namespace, name)),
      snapshot: (name) => cache(VM_SNAPSHOTS).get(keyIn(ref.namespace, name)),
      machine: (namespace, name) =>
        dialect === undefined ? undefined : cache(resourceOfKind(dialect.kind)).get(keyIn(namespace, name)),
      claim: (namespace, name) => cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name)),
      origins: {
        claim: (namespace, name) => cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name)),
        snapshot: (namespace, name) => cache(VM_SNAPSHOTS).get(keyIn(namespace, name)),
        storageClass: (name) => cache(STORAGE_CLASSES).get(name),
      },
      surroundings: (machine) => surroundings(dialect, machine, known.gatherers, context),
    },
    now: clock.now(),
  };
}

/** The machine that an operation names, with the instance that is its own. */
function machineSight(
  { group, namespace, name }: MachineRef,
  { dialects }: Known,
  { cache }: Context,
): Pick<Sight, 'dialect' | 'vm' | 'instance'> {
  const dialect = dialects.find(({ kind }) => kind.group === group);
  if (dialect === undefined) return { dialect, vm: undefined, instance: undefined };
  const vm = cache(resourceOfKind(dialect.kind)).get(keyIn(namespace, name));
  const named = cache(VMIS).get(keyIn(namespace, instanceName(dialect, name)));
  const isOwn = named !== undefined && vm !== undefined && ownership(named, vm.metadata.uid) === 'own';
  return { dialect, vm, instance: isOwn ? named : undefined };
}

/**
 * Why an operation is never done, whatever comes. One that has begun is asked again with every step: that it has begun
 * is only what its status says, and a namespace may have taken its word back.
 */
async function objectionTo(operation: Operation, { dialects, onlyNamespace }: Known, { cache, client }: Context) {
  if (isOver(operation)) return undefined;
  const { group, namespace } = machineOf(operation);
  const { metadata, spec } = operation;
  const served: readonly string[] = dialects.map(({ kind }) => kind.group);
  if (!served.includes(group) && !hasBegun(operation))
    return {
      reason: 'NotServed',
      message: `nothing acts on machines of ${group} here, only on those of ${served.join(', ')}`,
    };
  const target = spec.operation === 'clone' ? spec.cloneSpec?.targetNamespace || namespace : namespace;
  const grants = { namespace: (name: string) => cache(NAMESPACES).get(name), only: onlyNamespace };
  return await firstCrossNamespaceDenial(metadata.namespace, [namespace, target], grants, client);
}

function surroundings(
  dialect: Dialect | undefined,
  vm: AnyVm,
  gatherers: DependencyProviders,
  context: Context,
): VmDependencies {
  const asked = dialect?.dependencies?.includes('template') === true ? gatherers.template : undefined;
  const template = asked?.provide(vm, context);
  return { referenceNode: USUAL_NODE, ...(template === undefined ? {} : { template }) };
}
