import { INSTANCE_FINALIZER } from '#api/instance-request';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { CREATED_BY_LABEL } from '#api/launcher';
import { NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS } from '#platform/kube/kinds/policy';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { byController, type Change, controllerKey } from '#platform/runtime/cache';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyIn, keyOf } from '#platform/runtime/key';
import { awaitsListings } from '#platform/runtime/restored-nodes';
import { CANCEL_REQUEUE, type ReconcileResult } from '#platform/runtime/work-queue';
import { AdmissionRechecks } from '#vm/engine/admission-recheck';
import { claimNames } from '#vm/engine/launcher/volumes';
import { TransientStatusThrottle } from '#vm/engine/transient-status-throttle';
import { planBudget } from './budget.ts';
import { byClaim, instanceKeyOfPod, instancesOn } from './indices.ts';
import { isKwokManaged } from './kwok-agent.ts';
import { planLoad } from './load.ts';
import { NodeWatch } from './node-watch.ts';
import { OwnAddresses } from './own-addresses.ts';
import { currentPod, isBound, isPodFinished, nodeOf } from './own-pods.ts';
import { type InstanceView, planVmi } from './plan-vmi.ts';
import { INSTANCE_SETTINGS, type InstanceSettings } from './settings.ts';
import { createVmiExecutor } from './vmi-executor.ts';

/** Reconciles instances: creates their launcher pod, reports its state until a node agent takes over, and cleans up. */
export function instances(given: Partial<InstanceSettings> = {}): Controller<Vmi> {
  const settings = { ...INSTANCE_SETTINGS, ...given };
  const expectations = new Expectations();
  const reported = new Expectations();
  const throttle = new TransientStatusThrottle();
  const nodes = new NodeWatch(settings.nodeLostAfterMs, instancesOn);
  /** Nodes of pods that were deleted without notice, by instance key. */
  const abandoned = new Map<string, { readonly uid: string; readonly node: string }>();
  /** Time since which node agents have owed a report, by instance key. */
  const owed = new Map<string, { readonly uid: string; readonly since: number }>();
  /** Instances that wait for the cache to show earlier writes. */
  const waiting = new Set<string>();
  const addresses = new OwnAddresses(settings.addresses);
  const reviews = new AdmissionRechecks(virtualMachineInstance, settings.recheck);
  const act = createVmiExecutor({ settings, addresses, expectations, reported, throttle });

  async function look(vmi: Vmi, context: Context): Promise<InstanceView> {
    const { cache, clock } = context;
    const { uid, namespace } = vmi.metadata;
    const key = keyOf(vmi);
    let pods: readonly Pod[] = [...cache(PODS).by(byController, controllerKey(vmi))];
    // An instance that should have a pod is only considered without one if the server confirms it.
    if (pods.length === 0 && hadPod(vmi)) pods = await podsOf(vmi, context);
    const left = abandoned.get(key);
    const gone = left?.uid === uid ? left.node : undefined;
    const node = nodeOf(vmi, currentPod(vmi, pods)) || (gone ?? '');
    const lost = new Set<string>();
    for (const name of new Set([node, ...pods.map(({ spec }) => spec.nodeName ?? '')])) {
      if (name === '' || !(await nodes.isLost(name, context))) continue;
      await nodes.close(name, context);
      lost.add(name);
    }
    const claims = cache(PERSISTENT_VOLUME_CLAIMS);
    const phaseOf = (name: string) => claims.get(keyIn(namespace, name))?.status?.phase;
    const waits = pods.some((pod) => !isBound(pod));
    const missing =
      pods.length > 0
        ? undefined
        : claimNames(vmi.spec).find((name) => claims.get(keyIn(namespace, name)) === undefined);
    const unbound = waits ? claimNames(vmi.spec).find((name) => phaseOf(name) !== 'Bound') : undefined;
    const rejection = pods.length > 0 ? undefined : reviews.of(key, vmi);
    // After a restore, node agents report nothing until all nodes have listed what they run.
    if (awaitsListings(context)) owed.delete(key);
    const debt = owed.get(key);
    return {
      vmi,
      pods,
      lost,
      kwokManaged: node !== '' && isKwokManaged(cache(NODES).get(node)),
      ...(rejection === undefined ? {} : { rejection }),
      ...(missing === undefined ? {} : { missingClaim: missing }),
      ...(unbound === undefined ? {} : { unboundClaim: unbound }),
      ...(gone === undefined ? {} : { abandoned: gone }),
      owedMs: debt?.uid === uid ? clock.monotonic() - debt.since : 0,
      now: clock.now(),
    };
  }

  /** Returns the remaining time to wait for a node agent that owes a report. */
  function patience(vmi: Vmi, { clock }: Context): ReconcileResult {
    const key = keyOf(vmi);
    const { uid } = vmi.metadata;
    const known = owed.get(key);
    const debt = known?.uid === uid ? known : { uid, since: clock.monotonic() };
    owed.set(key, debt);
    return { requeueAfterMs: Math.max(1, debt.since + settings.agentTimeoutMs - clock.monotonic()) };
  }

  /** Observes and acts once. Returns 'released' if nothing is left of a deleted instance. */
  async function step(vmi: Vmi, context: Context): Promise<ReconcileResult | 'released' | undefined> {
    const { cache } = context;
    const key = keyOf(vmi);
    if (!expectations.met(key, cache(PODS)) || !reported.met(key, cache(VMIS))) {
      waiting.add(key);
      return undefined;
    }
    const view = await look(vmi, context);
    const actions = [...planLoad(vmi, view.pods), ...planVmi(view, settings)];
    if (!actions.some((action) => action.do === 'await agent')) owed.delete(key);
    const passes = actions.some((action) => action.do === 'create' || (action.do === 'report' && action.transient));
    const arrives = !passes && throttle.shouldHold(key);
    if (!passes) throttle.arrived(key);
    for (const action of planBudget(vmi, [...cache(POD_DISRUPTION_BUDGETS).by(byController, controllerKey(vmi))])) {
      await act.onBudget(action, context);
    }
    let again: ReconcileResult | undefined = arrives ? CANCEL_REQUEUE : undefined;
    for (const action of actions) {
      if (action.do === 'release') return 'released';
      again = (action.do === 'await agent' ? patience(vmi, context) : await act.on(action, vmi, context)) ?? again;
    }
    return again;
  }

  return {
    name: 'virtualmachineinstance.kubevirt.io',
    for: VMIS,
    owns: [POD_DISRUPTION_BUDGETS],
    reads: addresses.reads,
    // Reconciles mostly wait for writes, which the store batches.
    concurrency: 256,
    watches: [
      ...nodes.watches,
      watchSource(PODS, (pod, { cache }, change) => {
        const key = instanceKeyOfPod(pod);
        if (key === undefined) return [];
        const played = isKwokManaged(cache(NODES).get(change.object.spec.nodeName ?? ''));
        if (isBegun(change) && !played) return [];
        // Under load, an instance is not reconciled before it runs or should have.
        return throttle.shouldHold(key) && isOnItsWay(change) && !played && !waiting.delete(key) ? [] : [key];
      }),
      // A node agent reports a pod as finished before it deletes it. If anyone else deletes a pod, its machine is left
      // to the node agent.
      watchSource(PODS, (pod, _context, { type }) => {
        const key = instanceKeyOfPod(pod);
        if (type !== 'deleted' || key === undefined || !isBound(pod) || isPodFinished(pod)) return [];
        abandoned.set(key, { uid: pod.metadata.labels?.[CREATED_BY_LABEL] ?? '', node: pod.spec.nodeName ?? '' });
        return [];
      }),
      watchSource(PERSISTENT_VOLUME_CLAIMS, (claim, { cache }) =>
        [...cache(VMIS).by(byClaim, keyOf(claim))].filter((vmi) => (vmi.status?.nodeName ?? '') === '').map(keyOf),
      ),
    ],
    async reconcile(vmi, context) {
      const next = await step(vmi, context);
      return next === 'released' ? undefined : next;
    },
    finalize: {
      finalizer: INSTANCE_FINALIZER,
      async run(vmi, context) {
        const next = await step(vmi, context);
        return next === 'released' ? undefined : (next ?? 'held');
      },
    },
    forget(key) {
      expectations.forget(key);
      reported.forget(key);
      waiting.delete(key);
      abandoned.delete(key);
      owed.delete(key);
      reviews.forget(key);
      addresses.forget(key);
      throttle.arrived(key);
    },
  };
}

/** Reports whether the status says that the instance has, or had, a pod. */
function hadPod({ status }: Vmi): boolean {
  return ['Scheduling', 'Scheduled', 'Running'].includes(status?.phase ?? '');
}

async function podsOf({ metadata }: Vmi, { client }: Context): Promise<readonly Pod[]> {
  const { namespace, uid } = metadata;
  const { items } = await client.list(PODS, { namespace, labelSelector: `${CREATED_BY_LABEL}=${uid}` });
  return items;
}

/** Reports whether the change only says that the node agent has started the pod, which needs no reconcile. */
function isBegun({ object, old }: Change<Pod>): boolean {
  if (old === undefined || isPodFinished(object) || isPodFinished(old)) return false;
  const sameLife = object.metadata.deletionTimestamp === old.metadata.deletionTimestamp;
  return isBound(old) && isBound(object) && sameLife && object.status?.phase !== old.status?.phase;
}

/** Reports whether the pod was only created or bound to a node by this change. */
function isOnItsWay({ type, object, old }: Change<Pod>): boolean {
  if (object.metadata.deletionTimestamp !== undefined || isPodFinished(object)) return false;
  if (type === 'added') return !isBound(object);
  return old !== undefined && !isBound(old) && isBound(object);
}
