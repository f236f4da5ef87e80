import { timestamp } from '#platform/base/timestamp';
import type { NewObject, ResourceType } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import {
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type ReplicaSet,
  type ReplicationController,
} from '#platform/kube/kinds/workloads';
import { isNamespaceTerminating } from '#platform/kube/kube-error';
import { type LabelSelector, labelSelectorOf, labelSelectorOfSet } from '#platform/kube/selectors/label-selector';
import { byController, controllerKey, uncontrolledIn } from '#platform/runtime/cache';
import { type Context, type Controller } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyIn, keyOf } from '#platform/runtime/key';
import { claimObjects, controllerRef } from '#platform/runtime/ownership/claim-objects';
import { writeStatus } from '#platform/runtime/status';
import { adoptingOwners } from './adopting-owners.ts';
import { deleteOwnedPod } from './delete-owned-pod.ts';
import { podFromTemplate } from './pod-from-template.ts';
import { isActive } from './pod-state.ts';
import { podsToDelete } from './pods-to-delete.ts';
import { type ReplicaFailure, type ReplicaOwner, replicaStatus } from './replica-status.ts';

/** Maximum number of pods created or deleted in one reconciliation, so that one owner does not delay all others. */
const BURST = 500;

interface Keeper<T extends ReplicaOwner> {
  readonly name: string;
  readonly type: ResourceType<T>;
  readonly selectorOf: (owner: T) => LabelSelector;
  readonly replicasOf: (owner: T) => number;
}

export const replicaSetController = () =>
  keepReplicas<ReplicaSet>({
    name: 'replica set',
    type: REPLICA_SETS,
    selectorOf: ({ spec }) => labelSelectorOf(spec.selector),
    replicasOf: ({ spec }) => spec.replicas ?? 1,
  });

export const replicationManager = () =>
  keepReplicas<ReplicationController>({
    name: 'replication controller',
    type: REPLICATION_CONTROLLERS,
    selectorOf: ({ spec }) => labelSelectorOfSet(spec.selector ?? spec.template.metadata?.labels),
    replicasOf: ({ spec }) => spec.replicas ?? 1,
  });

/** Maintains the desired number of pods of a template. */
function keepReplicas<T extends ReplicaOwner>(keeper: Keeper<T>): Controller<T> {
  const { name, type, selectorOf } = keeper;
  const expectations = new Expectations();
  return {
    name,
    for: type,
    owns: [PODS],
    concurrency: 4,
    watches: [adoptingOwners(type, selectorOf)],
    async reconcile(owner, context) {
      const { cache, client, clock } = context;
      const pods = cache(PODS);
      if (!expectations.met(keyOf(owner), pods)) return undefined;
      const { namespace = '' } = owner.metadata;
      const near = [...pods.by(byController, controllerKey(owner)), ...pods.by(uncontrolledIn, namespace)];
      const claiming = { client, ownerType: type, owner, type: PODS, selector: selectorOf(owner), expectations };
      const own = await claimObjects(claiming, near);
      const failure = await scale(keeper, owner, own, expectations, context);
      const { status, againMs } = replicaStatus(owner, own, failure, clock.now(), timestamp(clock.now()));
      await writeStatus(client, type, owner, status as NonNullable<T['status']>);
      if (failure !== undefined) throw new Error(failure.message);
      return againMs === undefined ? undefined : { requeueAfterMs: againMs };
    },
    forget: (key) => expectations.forget(key),
  };
}

/** Creates missing pods, or deletes surplus ones. */
async function scale<T extends ReplicaOwner>(
  { type, replicasOf }: Keeper<T>,
  owner: T,
  own: readonly Pod[],
  expectations: Expectations,
  context: Context,
): Promise<ReplicaFailure | undefined> {
  if (owner.metadata.deletionTimestamp !== undefined) return undefined;
  const active = own.filter(isActive);
  const missing = replicasOf(owner) - active.length;
  if (missing > 0) {
    const pod = podFromTemplate(owner.spec.template, owner, controllerRef(type, owner));
    return await createPods(owner, pod, Math.min(missing, BURST), expectations, context);
  }
  if (missing === 0) return undefined;
  const related = relatedPods(type, owner, own, context);
  const chosen = podsToDelete(active, Math.min(-missing, BURST), related, context.clock.now());
  return await deletePods(owner, chosen, expectations, context);
}

async function createPods(
  owner: ReplicaOwner,
  pod: NewObject<Pod>,
  count: number,
  expectations: Expectations,
  { client, events }: Context,
): Promise<ReplicaFailure | undefined> {
  // Batches grow, so that creations that fail are not tried hundreds of times.
  for (let made = 0, batch = 1; made < count; batch *= 2) {
    const size = Math.min(batch, count - made);
    const results = await Promise.allSettled(Array.from({ length: size }, () => client.create(PODS, pod)));
    for (const result of results) {
      if (result.status === 'rejected') continue;
      expectations.wrote(keyOf(owner), result.value);
      events.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${result.value.metadata.name}`);
    }
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) {
      const error: unknown = failed.reason;
      if (isNamespaceTerminating(error)) return undefined;
      const { message } = error as Error;
      events.event(owner, 'Warning', 'FailedCreate', `Error creating: ${message}`);
      return { reason: 'FailedCreate', message };
    }
    made += size;
  }
  return undefined;
}

async function deletePods(
  owner: ReplicaOwner,
  pods: readonly Pod[],
  expectations: Expectations,
  { client, events }: Context,
): Promise<ReplicaFailure | undefined> {
  let failure: ReplicaFailure | undefined;
  for (const pod of pods) {
    try {
      const isDeleted = await deleteOwnedPod(client, pod, keyOf(owner), expectations);
      if (isDeleted) events.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    } catch (error) {
      const { message } = error as Error;
      events.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${message}`);
      failure ??= { reason: 'FailedDelete', message };
    }
  }
  return failure;
}

/** Returns the pods that do the same work: those of all ReplicaSets of the same Deployment. */
function relatedPods<T extends ReplicaOwner>(
  type: ResourceType<T>,
  owner: T,
  own: readonly Pod[],
  { cache }: Context,
): readonly Pod[] {
  const above = owner.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (above === undefined) return own;
  return [...cache(type).by(byController, keyIn(owner.metadata.namespace, above.uid))].flatMap((each) => [
    ...cache(PODS).by(byController, controllerKey(each)),
  ]);
}
