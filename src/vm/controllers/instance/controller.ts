import { INSTANCE_FINALIZER } from '#api/instance-request';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS } from '#platform/kube/kinds/policy';
import { byController, controllerKey } from '#platform/runtime/cache';
import type { Context, Controller } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { CANCEL_REQUEUE, type ReconcileResult } from '#platform/runtime/work-queue';
import { TransientStatusThrottle } from '#vm/engine/transient-status-throttle';
import { planBudget } from './budget.ts';
import { executeBudgetAction } from './execute-budget-action.ts';
import { instancesOn } from './indices.ts';
import { InstanceEntry, type InstanceScope } from './instance-entry.ts';
import { InstanceObserver } from './instance-observer.ts';
import { abandonedPodWatch, instanceClaimWatch, podWatch } from './instance-watches.ts';
import { planLoad } from './load.ts';
import { NodeWatch } from './node-watch.ts';
import { OwnAddresses } from './own-addresses.ts';
import { planVmi, type VmiAction } from './plan-vmi.ts';
import { INSTANCE_SETTINGS, type InstanceSettings } from './settings.ts';
import { VmiExecutor } from './vmi-executor.ts';

/** Reconciles instances: creates their launcher pod, reports its state until a node agent takes over, and cleans up. */
export function instances(given: Partial<InstanceSettings> = {}): Controller<Vmi> {
  const settings = { ...INSTANCE_SETTINGS, ...given };
  const nodes = new NodeWatch(settings.nodeLostAfterMs, instancesOn);
  const reconciler = new InstanceReconciler(settings, nodes);
  return {
    name: 'virtualmachineinstance.kubevirt.io',
    for: VMIS,
    owns: [POD_DISRUPTION_BUDGETS],
    reads: reconciler.addresses.reads,
    // Reconciles mostly wait for writes, which the store batches.
    concurrency: 256,
    watches: [
      ...nodes.watches,
      podWatch(reconciler.entries, reconciler.throttle),
      abandonedPodWatch((key) => reconciler.entryOf(key)),
      instanceClaimWatch,
    ],
    async reconcile(vmi, context) {
      const next = await reconciler.run(vmi, context);
      return next === 'released' ? undefined : next;
    },
    finalize: {
      finalizer: INSTANCE_FINALIZER,
      async run(vmi, context) {
        const next = await reconciler.run(vmi, context);
        return next === 'released' ? undefined : (next ?? 'held');
      },
    },
    forget: (key) => reconciler.forget(key),
  };
}

class InstanceReconciler {
  readonly entries = new Map<string, InstanceEntry>();
  readonly throttle = new TransientStatusThrottle();
  readonly addresses: OwnAddresses;
  readonly #settings: InstanceSettings;
  readonly #observer: InstanceObserver;
  readonly #executor: VmiExecutor;

  constructor(settings: InstanceSettings, nodes: NodeWatch) {
    this.addresses = new OwnAddresses(settings.addresses);
    this.#settings = settings;
    this.#observer = new InstanceObserver(nodes, settings.recheck);
    this.#executor = new VmiExecutor({ settings, addresses: this.addresses, throttle: this.throttle });
  }

  entryOf(key: string): InstanceEntry {
    const entry = this.entries.get(key) ?? new InstanceEntry();
    this.entries.set(key, entry);
    return entry;
  }

  /** Observes and acts once. Returns 'released' if nothing is left of a deleted instance. */
  async run(vmi: Vmi, context: Context): Promise<ReconcileResult | 'released' | undefined> {
    const { cache } = context;
    const entry = this.entryOf(keyOf(vmi));
    if (!entry.podWrites.isMet(cache(PODS)) || !entry.instanceWrites.isMet(cache(VMIS))) {
      entry.wait();
      return undefined;
    }
    const scope = { vmi, entry, context };
    const view = await this.#observer.observe(scope);
    const actions = [...planLoad(vmi, view.pods), ...planVmi(view, this.#settings)];
    if (!actions.some((action) => action.do === 'await agent')) entry.oweNothing();
    const arrives = this.#noteArrival(keyOf(vmi), actions);
    for (const action of planBudget(vmi, [...cache(POD_DISRUPTION_BUDGETS).by(byController, controllerKey(vmi))])) {
      await executeBudgetAction(action, context);
    }
    return await this.#execute(actions, scope, arrives ? CANCEL_REQUEUE : undefined);
  }

  forget(key: string): void {
    this.entries.delete(key);
    this.#observer.forget(key);
    this.addresses.forget(key);
    this.throttle.arrived(key);
  }

  /** Ends the transition of an instance without a transient state. Reports whether its last state was held back. */
  #noteArrival(key: string, actions: readonly VmiAction[]): boolean {
    if (actions.some((action) => action.do === 'create' || (action.do === 'report' && action.transient))) return false;
    const isHeld = this.throttle.shouldHold(key);
    this.throttle.arrived(key);
    return isHeld;
  }

  async #execute(
    actions: readonly VmiAction[],
    scope: InstanceScope,
    otherwise: ReconcileResult | undefined,
  ): Promise<ReconcileResult | 'released' | undefined> {
    let again = otherwise;
    for (const action of actions) {
      if (action.do === 'release') return 'released';
      if (action.do === 'await agent') again = this.#awaitAgent(scope);
      else again = (await this.#executor.execute(action, scope)) ?? again;
    }
    return again;
  }

  /** Returns the remaining time to wait for a node agent that owes a report. */
  #awaitAgent({ vmi, entry, context }: InstanceScope): ReconcileResult {
    const owedMs = entry.owe(vmi, context.clock.monotonic());
    return { requeueAfterMs: Math.max(1, this.#settings.agentTimeoutMs - owedMs) };
  }
}
