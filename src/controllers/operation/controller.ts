import { USUAL_NODE } from '../../api/launcher-load.ts';
import { OPERATION_FINALIZER } from '../../api/operation-request.ts';
import type { ResourceType } from '../../kube/client.ts';
import { NAMESPACES } from '../../kube/kinds/core.ts';
import { resourceOfKind, VMIMS, VMIS } from '../../kube/kinds/machines.ts';
import { NODES } from '../../kube/kinds/node.ts';
import { PODS } from '../../kube/kinds/pod.ts';
import { VM_SNAPSHOTS } from '../../kube/kinds/snapshots.ts';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '../../kube/kinds/storage.ts';
import { isForbidden, isInvalid, isNamespaceEnding, isNotFound } from '../../kube/kube-error.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import { objectionAmong } from '../../kube/namespace-grant.ts';
import type { Machine } from '../../machine/deeds.ts';
import { type Dialect, instanceName, machineName } from '../../machine/dialect.ts';
import type { Gatherers } from '../../machine/gatherer.ts';
import { belonging } from '../../machine/instance-state.ts';
import type { Surroundings } from '../../machine/surroundings.ts';
import { byController } from '../../runtime/cache.ts';
import { type Context, type Controller, watched } from '../../runtime/controller.ts';
import { Expectations } from '../../runtime/expectations.ts';
import { withFinalizer, withoutFinalizer } from '../../runtime/finalizer.ts';
import { keyIn, keyOf } from '../../runtime/key.ts';
import { OwnWrites } from '../../runtime/own-writes.ts';
import { writeStatus } from '../../runtime/status.ts';
import type { Again } from '../../runtime/work-queue.ts';
import { act, NameTaken } from './act.ts';
import type { Deed } from './course.ts';
import { byMachine, bySnapshot, makerOf } from './indices.ts';
import {
  hasBegun,
  isOver,
  type MachineRef,
  machineKey,
  machineOf,
  OPERATIONS,
  type Operation,
  type OperationStatus,
  phaseOf,
  snapshotOf,
} from './operation.ts';
import { leftTo, plan } from './plan.ts';
import { isActive, type Sight } from './sight.ts';
import { overStatus } from './status.ts';
import { aheadOf, currentOf, nextAfter, type Standing } from './turn.ts';
import { usageOf } from './usage.ts';

export interface OperationSettings {
  /** Whose machines can be operated on. */
  readonly dialects: readonly Dialect[];
  /** Who says what machines are made of beside their own words. */
  readonly gatherers?: Gatherers;
  /** The only namespace that is looked after, where it is one. */
  readonly onlyNamespace?: string;
}

/** How soon to look again where a cache does not show yet what was written: its event may concern another object. */
const SOON: Again = { afterMs: 50 };

/** Carries out operations on machines of every group: one at a time for each machine. */
export function operations({ dialects, gatherers = {}, onlyNamespace }: OperationSettings): Controller<Operation> {
  const own = new OwnWrites();
  /** What was written for operations, by the resource. */
  const written = new Map<string, { readonly type: ResourceType; readonly expected: Expectations }>();
  /** Operations, by uid, whose beginning the cache may not show yet. */
  const begun = new Set<string>();
  const uids = new Map<string, string>();

  const standingIn = ({ cache }: Pick<Context, 'cache'>): Standing => ({
    begun,
    lacks(operation) {
      const key = snapshotOf(operation);
      return key !== undefined && cache(VM_SNAPSHOTS).get(key) === undefined;
    },
  });

  const isMet = (key: string, { cache }: Context) =>
    [...written.values()].every(({ type, expected }) => expected.met(key, cache(type)));

  function wrote(key: string, type: ResourceType, object: KubeObject): void {
    const name = `${type.plural}.${type.group}`;
    const known = written.get(name) ?? { type, expected: new Expectations() };
    written.set(name, known);
    known.expected.wrote(key, object);
  }

  function surroundings(dialect: Dialect, vm: Machine, context: Context): Surroundings {
    const asked = dialect.asks?.includes('template') === true ? gatherers.template : undefined;
    const template = asked?.gather(vm, context);
    return { referenceNode: USUAL_NODE, ...(template === undefined ? {} : { template }) };
  }

  /** Why an operation is never done, whatever comes. */
  async function objectionTo(operation: Operation, { group, namespace }: MachineRef, { cache, client }: Context) {
    if (isOver(operation) || hasBegun(operation)) return undefined;
    const { metadata, spec } = operation;
    const served: readonly string[] = dialects.map(({ kind }) => kind.group);
    if (!served.includes(group))
      return {
        reason: 'NotServed',
        message: `nothing acts on machines of ${group} here, only on those of ${served.join(', ')}`,
      };
    const target = spec.operation === 'clone' ? spec.cloneSpec?.targetNamespace || namespace : namespace;
    const grants = { namespace: (name: string) => cache(NAMESPACES).get(name), only: onlyNamespace };
    return await objectionAmong(metadata.namespace, [namespace, target], grants, client);
  }

  async function look(operation: Operation, context: Context): Promise<Sight> {
    const { cache, client, clock } = context;
    const ref = machineOf(operation);
    const dialect = dialects.find(({ kind }) => kind.group === ref.group);
    const key = keyIn(ref.namespace, ref.name);
    const vm = dialect === undefined ? undefined : cache(resourceOfKind(dialect.kind)).get(key);
    const named =
      dialect === undefined ? undefined : cache(VMIS).get(keyIn(ref.namespace, instanceName(dialect, ref.name)));
    const instance =
      named !== undefined && vm !== undefined && belonging(named, vm.metadata.uid) === 'own' ? named : undefined;
    const measured = operation.spec.operation === 'resize' && !hasBegun(operation) && instance !== undefined;
    const objection = await objectionTo(operation, ref, context);
    // Whose turn it is is looked at last, with nothing in between.
    const usage = measured
      ? await usageOf(client, instance, cache(PODS).by(byController, instance.metadata.uid))
      : undefined;
    const others = cache(OPERATIONS).by(byMachine, machineKey(ref));
    return {
      operation,
      ref,
      dialect,
      vm,
      instance,
      objection,
      ahead: aheadOf(operation, others, standingIn(context)),
      usage,
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
        surroundings: (machine) =>
          dialect === undefined ? { referenceNode: USUAL_NODE } : surroundings(dialect, machine, context),
      },
      now: clock.now(),
    };
  }

  async function run(operation: Operation, context: Context): Promise<Again | undefined> {
    const key = keyOf(operation);
    uids.set(key, operation.metadata.uid);
    if (isOver(operation) || hasBegun(operation)) begun.delete(operation.metadata.uid);
    if (!isMet(key, context)) return SOON;
    const sight = await look(operation, context);
    // Nothing may come between this look at whose turn it is and taking it.
    const actions = plan(sight);
    const takes = actions.some((action) => action.do === 'report' && action.status.phase === 'Running');
    if (takes) begun.add(operation.metadata.uid);
    try {
      return await carryOut(actions, sight, context);
    } catch (error) {
      if (!hasBegun(operation)) begun.delete(operation.metadata.uid);
      throw error;
    }
  }

  async function carryOut(
    actions: ReturnType<typeof plan>,
    sight: Sight,
    context: Context,
  ): Promise<Again | undefined> {
    const { client } = context;
    let { operation } = sight;
    let again: Again | undefined;
    for (const action of actions) {
      switch (action.do) {
        case 'report':
          operation = await report(operation, action.status, context);
          break;
        case 'hold':
          operation = (await withFinalizer(client, OPERATIONS, operation, OPERATION_FINALIZER)) ?? operation;
          break;
        case 'release':
          await withoutFinalizer(client, OPERATIONS, operation, OPERATION_FINALIZER);
          break;
        case 'look again':
          again = { afterMs: Math.max(0, action.afterMs) };
          break;
        case 'expire':
          await expire(operation, context);
          break;
        default: {
          const refusal = await perform(action, { ...sight, operation }, context);
          if (refusal === undefined) break;
          for (const deed of leftTo(operation, sight)) await perform(deed, { ...sight, operation }, context);
          await report(operation, overStatus(operation, 'Failed', refusal, undefined, sight.now), context);
          return undefined;
        }
      }
    }
    // What is left to do for one that has just ended is not seen in an echo.
    const ended = isOver(operation) && !isOver(sight.operation);
    return ended ? await carryOut(plan({ ...sight, operation }), { ...sight, operation }, context) : again;
  }

  /** What the server says against a deed, where asking again would not help. */
  async function perform(
    deed: Deed,
    sight: Sight,
    context: Context,
  ): Promise<{ reason: string; message: string } | undefined> {
    if (!isActive(sight)) return undefined;
    const key = keyOf(sight.operation);
    const told = { wrote: (type: ResourceType, object: KubeObject) => wrote(key, type, object) };
    try {
      await act(deed, sight, context, told);
      return undefined;
    } catch (error) {
      if (error instanceof NameTaken) return { reason: 'AlreadyExists', message: error.message };
      if (isNamespaceEnding(error) || !(isInvalid(error) || isForbidden(error))) throw error;
      return { reason: 'Refused', message: (error as Error).message };
    }
  }

  async function report(operation: Operation, status: OperationStatus, context: Context): Promise<Operation> {
    const key = keyOf(operation);
    const write = writeStatus(context.client, OPERATIONS, operation, status);
    const after = await own.during(key, write, () => context.enqueue(key));
    if (after !== operation && isOver(after) && !isOver(operation)) {
      const [{ reason = 'Failed' } = {}] = status.conditions ?? [];
      const failed = phaseOf(after) === 'Failed';
      // What went as it usually does is told by the status alone.
      if (failed || (phaseOf(after) === 'Succeeded' && reason !== 'Succeeded'))
        context.events.event(operation, failed ? 'Warning' : 'Normal', reason, status.message ?? '');
    }
    return after;
  }

  async function expire({ metadata }: Operation, { client }: Context): Promise<void> {
    const { name, namespace, uid } = metadata;
    await client.delete(OPERATIONS, name, { namespace, preconditions: { uid } }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** What happens to a machine concerns the operations whose turn it is; those behind wait for them. */
  const concerned = (ref: MachineRef, context: Pick<Context, 'cache'>) =>
    currentOf(context.cache(OPERATIONS).by(byMachine, machineKey(ref)), standingIn(context)).map(keyOf);

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

  return {
    name: 'vmoperation.hypersdk.io',
    for: OPERATIONS,
    // Runs mostly wait for writes, which a store puts down many at a time.
    concurrency: 128,
    knows: (operation) => own.knows(keyOf(operation), operation.metadata.resourceVersion),
    reads: [NAMESPACES, NODES, PODS, STORAGE_CLASSES, ...Object.values(gatherers).flatMap(({ reads = [] }) => reads)],
    watches: [
      ...dialects.map((dialect) =>
        watched(resourceOfKind(dialect.kind), (vm, context) => {
          const { namespace, name } = vm.metadata;
          return [...concerned({ group: dialect.kind.group, namespace, name }, context), ...makersOf(vm, context)];
        }),
      ),
      // The claims of a clone, which may be made by others.
      watched(PERSISTENT_VOLUME_CLAIMS, (claim, context) => [
        ...makersOf(claim, context),
        ...dialects.flatMap((dialect) => ownedMakers(claim, dialect, context)),
      ]),
      watched(VM_SNAPSHOTS, (snapshot, context) => [
        ...makersOf(snapshot, context),
        ...[...context.cache(OPERATIONS).by(bySnapshot, keyOf(snapshot))].flatMap((operation) => [
          keyOf(operation),
          // Those behind it wait for it, or no longer.
          ...concerned(machineOf(operation), context),
        ]),
      ]),
      watched(VMIMS, makersOf),
      watched(VMIS, ({ metadata }, context) =>
        dialects.flatMap((dialect) => {
          const name = machineName(dialect, metadata.name);
          return name === undefined
            ? []
            : concerned({ group: dialect.kind.group, namespace: metadata.namespace, name }, context);
        }),
      ),
      // One that is over, or gone, makes room for the next, and is not waited for by the one behind it.
      watched(OPERATIONS, (operation, context, { type, object }) => {
        if (operation !== object || (type !== 'deleted' && !isOver(operation))) return [];
        const ref = machineOf(operation);
        const left = [...context.cache(OPERATIONS).by(byMachine, machineKey(ref))];
        const standing = standingIn(context);
        const next = nextAfter(operation, left, standing);
        // Those that go beside it have begun already.
        const current = currentOf(left, standing).filter((each) => !hasBegun(each) && !begun.has(each.metadata.uid));
        return [...current, ...(next === undefined || hasBegun(next) ? [] : [next])].map(keyOf);
      }),
    ],
    reconcile: run,
    forget(key) {
      own.forget(key);
      for (const { expected } of written.values()) expected.forget(key);
      begun.delete(uids.get(key) ?? '');
      uids.delete(key);
    },
  };
}
