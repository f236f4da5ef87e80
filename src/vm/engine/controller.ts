import { MACHINE_FINALIZER } from '#api/instance-request';
import { resourceTypeFor, VMIS, type Vmi } from '#api/kubevirt/resources';
import type { NodeSize } from '#api/launcher-load';
import type { ResourceType } from '#platform/kube/client';
import { FOREGROUND, ORPHAN } from '#platform/kube/deletion-finalizers';
import { NODES } from '#platform/kube/kinds/node';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyIn, keyOf } from '#platform/runtime/key';
import { OwnWrites } from '#platform/runtime/own-writes';
import { writeStatus } from '#platform/runtime/status';
import { CANCEL_REQUEUE, type ReconcileResult } from '#platform/runtime/work-queue';
import type { AddressPool } from './address-pool.ts';
import { type AdmissionRecheck, AdmissionRechecks } from './admission-recheck.ts';
import { createFailure, deleteFailure, type Failure, noAddressBlocker } from './blocker.ts';
import { type DependencyProviders, requestedProviders } from './dependency-provider.ts';
import { type Dialect, instanceName, type ObservedVm, type Shutdown, vmName } from './dialect.ts';
import { heldAddresses } from './held-addresses.ts';
import { assignIdentity } from './identity.ts';
import { isMarkedForEvacuation, ownership, shutdownOf, unseenEnd } from './instance-state.ts';
import { type AnyVm, createInstanceWriter } from './instance-writer.ts';
import { type Observation, observe } from './observe.ts';
import { isRecorded } from './recorded-state.ts';
import { ReferenceNode } from './reference-node.ts';
import type { RolloutStrategy } from './spec-changes.ts';
import { transientState } from './transient-state.ts';
import type { TransientStatusThrottle } from './transient-status-throttle.ts';
import type { VmDependencies } from './vm-dependencies.ts';
import { VmEventRecorder } from './vm-event-recorder.ts';

export interface VmControllerOptions {
  readonly dialect: Dialect;
  /** All enabled dialects, including this one. Their VMs share one address range. */
  readonly dialects: readonly Dialect[];
  readonly addresses: AddressPool;
  readonly throttle: TransientStatusThrottle;
  /** Unset if every stored object has passed admission. */
  readonly recheck?: AdmissionRecheck;
  /** Defaults to LiveUpdate. */
  readonly rollout?: RolloutStrategy;
  /** Node size that fractional VM sizes refer to if nodes differ. Defaults to 32 CPUs and 128Gi. */
  readonly referenceNode?: NodeSize;
  /** Providers of the dependencies that the dialect may request. */
  readonly providers?: DependencyProviders;
}

/** Delay before a VM without an address retries, even if no address may have been released. */
const NO_ADDRESS_RETRY_MS = 10_000;

/** Time that a transient problem may last before it is reported. */
const TRANSIENT_PROBLEM_MS = 500;

/** Delay before the next attempt after the cache turned out to be stale. */
const STALE_RETRY_MS = 100;

/** Reconciles the VirtualMachines of one API group: manages their instances and writes their status. */
export function vmController(options: VmControllerOptions): Controller<AnyVm> {
  const { dialect, addresses, throttle, rollout = 'LiveUpdate' } = options;
  const type: ResourceType<AnyVm> = resourceTypeFor(dialect.kind);
  const instances = new Expectations();
  const vms = new Expectations();
  const uids = new Map<string, string>();
  const own = new OwnWrites();
  /** VMs whose instance is being created. */
  const starting = new Set<string>();
  /** VMs that wait for the cache to show the last write. */
  const waiting = new Set<string>();
  /** Shutdowns missing from the status, because the VM was in a transient state when they were observed. */
  const untold = new Map<string, Shutdown>();
  /** Times when VMs were first seen marked for evacuation. */
  const askedToLeave = new Map<string, number>();
  /** Times since when VMs have had a transient problem. */
  const hindered = new Map<string, number>();
  const recorder = new VmEventRecorder();
  const reviews = new AdmissionRechecks(dialect.kind, options.recheck);
  const reference = new ReferenceNode(options.referenceNode);
  const asked = requestedProviders(dialect, options.providers ?? {});
  const around = (vm: AnyVm, context: Context): VmDependencies => ({
    referenceNode: dialect.sizedByNodes === true ? reference.among(context.cache(NODES)) : reference.defaultNode,
    ...(asked.length === 0
      ? {}
      : Object.fromEntries(asked.map(([part, provider]) => [part, provider.provide(vm, context)]))),
  });
  let consulted = false;
  /** VMs of several groups may share a name, and one throttle counts them all. */
  const onWay = (key: string) => `${dialect.kind.group}/${key}`;

  function forget(key: string): void {
    instances.forget(key);
    vms.forget(key);
    own.forget(key);
    waiting.delete(key);
    throttle.arrived(onWay(key));
    untold.delete(key);
    askedToLeave.delete(key);
    hindered.delete(key);
    recorder.forget(key);
    reviews.forget(key);
    for (const [, provider] of asked) provider.forget?.(key);
    addresses.release(uids.get(key) ?? '');
    uids.delete(key);
  }

  /** Runs one reconciliation of a VM. Returns 'released' if nothing holds the VM any more. */
  async function run(vm: AnyVm, context: Context): Promise<ReconcileResult | 'released' | undefined> {
    const observation = look(vm, context);
    if (observation === undefined) return undefined;
    recorder.record(vm, observation, context.events, () =>
      dialect.report(vm, observation.observed, around(vm, context)),
    );
    return await act(vm, observation, context);
  }

  /** Observes a VM. Returns undefined while caches do not show the last write. */
  function look(vm: AnyVm, context: Context): Observation | undefined {
    const { cache, clock, random } = context;
    const key = keyOf(vm);
    // A new VM may have the name of a deleted one.
    if (uids.get(key) !== vm.metadata.uid) forget(key);
    uids.set(key, vm.metadata.uid);
    if (!consulted) addresses.consult(heldAddresses(options.dialects, context));
    consulted = true;
    const known = cache(VMIS);
    if (!instances.met(key, known) || !vms.met(key, cache(type))) {
      waiting.add(key);
      return undefined;
    }
    const { namespace, name } = vm.metadata;
    const instance = known.get(keyIn(namespace, instanceName(dialect, name)));
    if (instance === undefined || !isMarkedForEvacuation(instance)) askedToLeave.delete(key);
    else if (!askedToLeave.has(key)) askedToLeave.set(key, clock.now());
    return observe({
      dialect,
      vm,
      dependencies: around(vm, context),
      terminating: terminationOf(vm),
      rejection: reviews.of(key, vm),
      instance,
      unreported: untold.get(key),
      evacuationRequested: askedToLeave.get(key),
      rollout,
      now: clock.now(),
      random,
    });
  }

  async function act(
    vm: AnyVm,
    observation: Observation,
    context: Context,
  ): Promise<ReconcileResult | 'released' | undefined> {
    const writer = createInstanceWriter(type, vm, instances, context);
    const { observed, action, named } = observation;
    switch (action?.do) {
      case 'release':
        return 'released';
      case 'create':
        return await start(vm, observation, action.paused, context);
      case 'delete': {
        const told = isRecorded(observed.recorded, observation.before) ? vm : await write(vm, observed, context);
        const left = await writer.delete(named as Vmi).catch((error: unknown) => {
          return failed(told, observed, deleteFailure(error), context);
        });
        return await report(told, { ...observed, instance: left }, context);
      }
      case 'adopt':
        return await writer.adopt(dialect, named as Vmi, observation.changes).then(() => undefined);
      case 'update': {
        const instance = await writer.update(named as Vmi, observation.changes);
        return await report(vm, { ...observed, instance }, context);
      }
      default: {
        const again = await report(vm, observed, context);
        return action === undefined ? again : sooner(again, action.until - observed.now);
      }
    }
  }

  async function start(
    vm: AnyVm,
    observation: Observation,
    paused: boolean,
    context: Context,
  ): Promise<ReconcileResult | undefined> {
    const { observed, desired } = observation;
    const { identity, without } = assignIdentity(desired.spec, vm.metadata.uid, observed.recorded.identity, addresses);
    if (without.length > 0) {
      const problem = noAddressBlocker(without);
      recorder.problem(vm, problem, context.events);
      return sooner(await report(vm, { ...observed, problem }, context), NO_ADDRESS_RETRY_MS);
    }
    if (!(await isCurrent(vm, observation, context))) return { requeueAfterMs: STALE_RETRY_MS };
    const making = { dialect, vm, desired, identity, rollout, paused };
    starting.add(keyOf(vm));
    const instance = await createInstanceWriter(type, vm, instances, context)
      .create(making)
      .catch((error: unknown) => failed(vm, observed, createFailure(error), context))
      .finally(() => starting.delete(keyOf(vm)));
    const { runStrategy } = desired;
    // The start fulfills the request to start.
    const requests = observed.recorded.requests.slice(observed.recorded.requests[0]?.action === 'Start' ? 1 : 0);
    const recorded = { ...observed.recorded, requests, runStrategy, identity };
    return await report(vm, { ...observed, instance, recorded }, context);
  }

  /** Reports a failure, and throws for the queue to retry. */
  async function failed(vm: AnyVm, observed: ObservedVm, failure: Failure, context: Context): Promise<never> {
    const { problem, error } = failure;
    if (problem !== undefined) {
      recorder.problem(vm, problem, context.events);
      await report(vm, { ...observed, problem }, context);
    }
    throw error;
  }

  /** Reports whether the cached status is current. A start that follows from a stale status would be one too many. */
  async function isCurrent(
    { metadata }: AnyVm,
    { desired, before }: Observation,
    { client }: Context,
  ): Promise<boolean> {
    const { runStrategy: strategy, restarts } = desired;
    const follows = restarts !== undefined && before.lastShutdown !== undefined;
    if ((strategy === 'Always' || strategy === 'Once') && !follows) return true;
    const { name, namespace, resourceVersion } = metadata;
    return (await client.get(type, name, { namespace })).metadata.resourceVersion === resourceVersion;
  }

  /** Writes the status, unless the VM is in a transient state. */
  async function report(vm: AnyVm, observed: ObservedVm, context: Context): Promise<ReconcileResult | undefined> {
    const key = keyOf(vm);
    const patience = patienceFor(key, observed, context);
    if (patience > 0) return { requeueAfterMs: patience };
    const state = transientState(vm.metadata.deletionTimestamp !== undefined, observed);
    const held = throttle.shouldHold(onWay(key));
    if (state === undefined) throttle.arrived(onWay(key));
    const requeueAfterMs = state === undefined ? 0 : throttle.delay(onWay(key), state, context.clock.monotonic());
    if (requeueAfterMs > 0) {
      if (observed.recorded.lastShutdown !== undefined) untold.set(key, observed.recorded.lastShutdown);
      return { requeueAfterMs };
    }
    await write(vm, observed, context);
    return state === undefined && held ? CANCEL_REQUEUE : undefined;
  }

  /** Returns how long a transient problem must still last before it is reported. */
  function patienceFor(key: string, { transient: isPassing }: ObservedVm, { clock }: Context): number {
    if (isPassing !== true) {
      hindered.delete(key);
      return 0;
    }
    const since = hindered.get(key) ?? clock.monotonic();
    hindered.set(key, since);
    return Math.max(0, since + TRANSIENT_PROBLEM_MS - clock.monotonic());
  }

  async function write(vm: AnyVm, observed: ObservedVm, context: Context): Promise<AnyVm> {
    const { client } = context;
    const key = keyOf(vm);
    const status = dialect.report(vm, observed, around(vm, context));
    const written = await own.during(key, writeStatus(client, type, vm, status), () => context.enqueue(key));
    if (written !== vm) vms.wrote(key, written);
    untold.delete(key);
    return written;
  }

  return {
    // Like the other controllers, it has one word as its name, which labels its metrics.
    name: `${dialect.kind.singular}.${dialect.kind.group}`,
    for: type,
    // Reconciliations mostly wait for writes, and a store commits many of them at once.
    concurrency: 256,
    isOwnWrite({ metadata }) {
      const key = keyIn(metadata.namespace, metadata.name);
      return own.isOwnWrite(key, metadata.resourceVersion) && !waiting.delete(key);
    },
    reads: [
      ...options.dialects.map(({ kind }) => resourceTypeFor(kind)),
      ...(dialect.sizedByNodes === true ? [NODES] : []),
      ...asked.flatMap(([, { reads = [] }]) => reads),
    ],
    watches: [
      // Matches by name alone, since an instance without an owner or of another owner concerns the VM of that name too.
      watchSource(VMIS, (instance, { cache }, change) => {
        const { namespace, name } = instance.metadata;
        const machine = vmName(dialect, name);
        const key = keyIn(namespace, machine);
        const vm = machine === undefined ? undefined : cache(type).get(key);
        if (vm === undefined) return [];
        // Its creator has already decided what follows.
        const known = starting.has(key) || instances.isEcho(key, instance);
        if (change.type === 'added' && known && !waiting.delete(key)) return [];
        // This may be the only observation of its end.
        const gone = change.type === 'deleted' && ownership(instance, vm.metadata.uid) === 'own';
        if (gone) untold.set(key, shutdownOf(instance) ?? unseenEnd(instance));
        return [key];
      }),
      ...asked.flatMap(([, { watches = [] }]) => watches),
    ],
    async reconcile(vm, context) {
      const again = await run(vm, context);
      return again === 'released' ? undefined : again;
    },
    finalize: {
      finalizer: MACHINE_FINALIZER,
      async run(vm, context) {
        const again = await run(vm, context);
        return again === 'released' ? undefined : (again ?? 'held');
      },
      // Only the status is left to write.
      async lingers(vm, context) {
        const observation = hasOtherFinalizers(vm) ? look(vm, context) : undefined;
        if (observation !== undefined) await write(vm, observation.observed, context);
      },
    },
    forget,
  };
}

function terminationOf({ metadata }: AnyVm): 'with its instance' | 'alone' | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  return metadata.finalizers?.includes(ORPHAN) === true ? 'alone' : 'with its instance';
}

/** Reports whether the deletion waits for another component. Kubernetes' own finalizers are soon removed. */
function hasOtherFinalizers({ metadata }: AnyVm): boolean {
  return metadata.finalizers?.some((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND) === true;
}

function sooner(again: ReconcileResult | undefined, afterMs: number): ReconcileResult {
  return { requeueAfterMs: Math.min(again?.requeueAfterMs ?? Number.POSITIVE_INFINITY, afterMs) };
}
