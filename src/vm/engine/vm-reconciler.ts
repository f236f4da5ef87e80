import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import { FOREGROUND, ORPHAN } from '#platform/kube/deletion-finalizers';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import type { AddressPool } from './address-pool.ts';
import type { AdmissionRechecks } from './admission-recheck.ts';
import { createFailure, deleteFailure, noAddressBlocker } from './blocker.ts';
import { type Dialect, instanceName } from './dialect.ts';
import type { DialectDependencies } from './dialect-dependencies.ts';
import { heldAddresses } from './held-addresses.ts';
import { assignIdentity } from './identity.ts';
import { InstanceWriter } from './instance-writer.ts';
import { type Observation, observe } from './observe.ts';
import { isRecorded } from './recorded-state.ts';
import type { RolloutStrategy } from './spec-changes.ts';
import type { VmEntries } from './vm-entries.ts';
import type { AnyVm, VmScope } from './vm-scope.ts';
import type { VmStatusReporter } from './vm-status-reporter.ts';

interface VmReconcilerDeps {
  readonly dialect: Dialect;
  /** All dialects whose VMs share the addresses. */
  readonly dialects: readonly Dialect[];
  readonly type: ResourceType<AnyVm>;
  readonly rollout: RolloutStrategy;
  readonly addresses: AddressPool;
  readonly entries: VmEntries;
  readonly dependencies: DialectDependencies;
  readonly rechecks: AdmissionRechecks;
  readonly status: VmStatusReporter;
}

/** Delay before a VM without an address retries, even if no address may have been released. */
const NO_ADDRESS_RETRY_MS = 10_000;

/** Delay before the next attempt after the cache turned out to be stale. */
const STALE_RETRY_MS = 100;

/** Observes VMs, and carries out what `observe` decides. */
export class VmReconciler {
  readonly #deps: VmReconcilerDeps;
  #knowsHolders = false;

  constructor(deps: VmReconcilerDeps) {
    this.#deps = deps;
  }

  /** Runs one reconciliation of a VM. Returns 'released' if nothing holds the VM any more. */
  async run(vm: AnyVm, context: Context): Promise<ReconcileResult | 'released' | undefined> {
    const scope = this.#scope(vm, context);
    const observation = this.#observe(scope);
    if (observation === undefined) return undefined;
    this.#deps.status.recordEvents(scope, observation);
    return await this.#act(scope, observation);
  }

  /** Writes the status of a terminating VM that waits for another component. Only that is left to do. */
  async linger(vm: AnyVm, context: Context): Promise<void> {
    if (!hasOtherFinalizers(vm)) return;
    const scope = this.#scope(vm, context);
    const observation = this.#observe(scope);
    if (observation !== undefined) await this.#deps.status.write(scope, observation.observed);
  }

  #scope(vm: AnyVm, context: Context): VmScope {
    const { entries, addresses, dialects } = this.#deps;
    if (!this.#knowsHolders) addresses.consult(heldAddresses(dialects, context));
    this.#knowsHolders = true;
    return { vm, entry: entries.of(vm), context };
  }

  /** Observes a VM. Returns undefined while caches do not show the last write. */
  #observe({ vm, entry, context }: VmScope): Observation | undefined {
    const { dialect, type, rollout, dependencies, rechecks } = this.#deps;
    const { cache, clock, random } = context;
    const instances = cache(VMIS);
    if (!entry.instanceWrites.isMet(instances) || !entry.vmWrites.isMet(cache(type))) {
      entry.wait();
      return undefined;
    }
    const { namespace, name } = vm.metadata;
    const instance = instances.get(keyIn(namespace, instanceName(dialect, name)));
    entry.noteEvacuation(instance, clock.now());
    return observe({
      dialect,
      vm,
      dependencies: dependencies.of(vm, context),
      terminating: terminationOf(vm),
      rejection: rechecks.of(keyOf(vm), vm),
      instance,
      unreported: entry.unreported,
      evacuationRequested: entry.evacuationRequested,
      rollout,
      now: clock.now(),
      random,
    });
  }

  async #act(scope: VmScope, observation: Observation): Promise<ReconcileResult | 'released' | undefined> {
    const { dialect, type, status } = this.#deps;
    const { observed, action, named, changes } = observation;
    const writer = new InstanceWriter(type, scope);
    switch (action?.do) {
      case 'release':
        return 'released';
      case 'create':
        return await this.#create(scope, observation, action.paused);
      case 'delete':
        return await this.#delete(scope, observation, named as Vmi);
      case 'adopt':
        await writer.adopt(dialect, named as Vmi, changes);
        return undefined;
      case 'update':
        return await status.report(scope, { ...observed, instance: await writer.update(named as Vmi, changes) });
      default: {
        const again = await status.report(scope, observed);
        return action === undefined ? again : sooner(again, action.until - observed.now);
      }
    }
  }

  /** Deletes the instance, once its end is recorded. */
  async #delete(scope: VmScope, observation: Observation, named: Vmi): Promise<ReconcileResult | undefined> {
    const { type, status } = this.#deps;
    const { observed, before } = observation;
    const vm = isRecorded(observed.recorded, before) ? scope.vm : await status.write(scope, observed);
    const current = { ...scope, vm };
    const left = await new InstanceWriter(type, current)
      .delete(named)
      .catch((error: unknown) => status.fail(current, observed, deleteFailure(error)));
    return await status.report(current, { ...observed, instance: left });
  }

  async #create(scope: VmScope, observation: Observation, paused: boolean): Promise<ReconcileResult | undefined> {
    const { dialect, type, rollout, addresses, status } = this.#deps;
    const { vm, entry } = scope;
    const { observed, desired } = observation;
    const { recorded } = observed;
    const { identity, without } = assignIdentity(desired.spec, vm.metadata.uid, recorded.identity, addresses);
    if (without.length > 0) {
      const again = await status.reportProblem(scope, observed, noAddressBlocker(without));
      return sooner(again, NO_ADDRESS_RETRY_MS);
    }
    if (!(await this.#isCurrent(scope, observation))) return { requeueAfterMs: STALE_RETRY_MS };
    entry.creating = true;
    const instance = await new InstanceWriter(type, scope)
      .create({ dialect, vm, desired, identity, rollout, paused })
      .catch((error: unknown) => status.fail(scope, observed, createFailure(error)))
      .finally(() => {
        entry.creating = false;
      });
    const { runStrategy } = desired;
    // The start fulfills the request to start.
    const requests = recorded.requests.slice(recorded.requests[0]?.action === 'Start' ? 1 : 0);
    return await status.report(scope, {
      ...observed,
      instance,
      recorded: { ...recorded, requests, runStrategy, identity },
    });
  }

  /** Reports whether the cached status is current. A start that follows from a stale status would be one too many. */
  async #isCurrent({ vm, context }: VmScope, { desired, before }: Observation): Promise<boolean> {
    const { runStrategy: strategy, restarts } = desired;
    const follows = restarts !== undefined && before.lastShutdown !== undefined;
    if ((strategy === 'Always' || strategy === 'Once') && !follows) return true;
    const { name, namespace, resourceVersion } = vm.metadata;
    const current = await context.client.get(this.#deps.type, name, { namespace });
    return current.metadata.resourceVersion === resourceVersion;
  }
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
