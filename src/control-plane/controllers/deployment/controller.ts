import { jsonEqual } from '#platform/base/json-equal';
import { PODS } from '#platform/kube/kinds/pod';
import { DEPLOYMENTS, type Deployment, REPLICA_SETS, type ReplicaSet } from '#platform/kube/kinds/workloads';
import { ignoreNotFound, isAlreadyExists, isNamespaceTerminating } from '#platform/kube/kube-error';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';
import { byController, controllerKey, uncontrolledIn } from '#platform/runtime/cache';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyIn, keyOf } from '#platform/runtime/key';
import { claimObjects } from '#platform/runtime/ownership/claim-objects';
import { writeStatus } from '#platform/runtime/status';
import { deploymentStatus, isComplete, type RolloutResult } from './deployment-status.ts';
import { desiredReplicas, type Limits, limitsOf } from './limits.ts';
import { newReplicaSet, REVISION, refreshReplicaSet, replicaSetsToPrune, resizeReplicaSet } from './new-replica-set.ts';
import { recreateStep, rollingStep, type Sizes } from './rollout.ts';
import { isScaled, scaleProportionally } from './scaling.ts';
import { currentSet, isSameTemplate } from './template.ts';

/** Rolls out the templates of Deployments by means of ReplicaSets. */
export function deploymentController(): Controller<Deployment> {
  const expectations = new Expectations();
  return {
    name: 'deployment',
    for: DEPLOYMENTS,
    owns: [REPLICA_SETS],
    concurrency: 4,
    watches: [
      // A Deployment with the Recreate strategy waits until the last old pod is gone.
      watchSource(PODS, ({ metadata }, { cache }, { type }) => {
        const set = metadata.ownerReferences?.find(({ controller }) => controller === true);
        if (type !== 'deleted' || set?.kind !== 'ReplicaSet') return [];
        const owner = cache(REPLICA_SETS).get(keyIn(metadata.namespace, set.name));
        const above = owner?.metadata.ownerReferences?.find(({ controller }) => controller === true);
        return above?.kind === 'Deployment' ? [keyIn(metadata.namespace, above.name)] : [];
      }),
    ],
    async reconcile(deployment, context) {
      const { cache, client } = context;
      const sets = cache(REPLICA_SETS);
      if (!expectations.met(keyOf(deployment), sets)) return undefined;
      const { namespace = '' } = deployment.metadata;
      const near = [...sets.by(byController, controllerKey(deployment)), ...sets.by(uncontrolledIn, namespace)];
      const selector = labelSelectorOf(deployment.spec.selector);
      const claiming = {
        client,
        ownerType: DEPLOYMENTS,
        owner: deployment,
        type: REPLICA_SETS,
        selector,
        expectations,
      };
      const own = await claimObjects(claiming, near);
      return await new Rollout(deployment, own, context, expectations).run();
    },
    forget: (key) => expectations.forget(key),
  };
}

/** One reconciliation of one Deployment. */
class Rollout {
  readonly #context: Context;
  readonly #expectations: Expectations;
  readonly #limits: Limits;
  #deployment: Deployment;
  #fresh: ReplicaSet | undefined;
  #old: ReplicaSet[];

  constructor(deployment: Deployment, sets: readonly ReplicaSet[], context: Context, expectations: Expectations) {
    this.#deployment = deployment;
    this.#context = context;
    this.#expectations = expectations;
    this.#limits = limitsOf(deployment);
    this.#fresh = currentSet(deployment, sets);
    this.#old = sets.filter((set) => set !== this.#fresh);
  }

  async run() {
    const { metadata, spec } = this.#deployment;
    if (metadata.deletionTimestamp !== undefined) return await this.#report({});
    const all = this.#fresh === undefined ? this.#old : [this.#fresh, ...this.#old];
    const rolling = spec.strategy?.type !== 'Recreate';
    if (spec.paused === true || isScaled(all, this.#limits.replicas)) {
      await this.#refresh();
      await this.#resize(scaleProportionally(this.#fresh, this.#old, this.#limits, rolling));
      return await this.#report({});
    }
    const done = rolling ? await this.#roll() : await this.#recreate();
    const again = await this.#report(done);
    if (isComplete(this.#deployment, this.#deployment.status ?? {})) await this.#cleanUp();
    return again;
  }

  async #roll(): Promise<RolloutResult> {
    const done = await this.#ensureFresh();
    if (this.#fresh !== undefined) await this.#resize(rollingStep(this.#fresh, this.#old, this.#limits));
    return done;
  }

  async #recreate(): Promise<RolloutResult> {
    await this.#refresh();
    const shrinking = recreateStep(undefined, this.#old, this.#limits.replicas);
    await this.#resize(shrinking);
    if (shrinking.size > 0 || this.#hasOldPods()) return {};
    const done = await this.#ensureFresh();
    await this.#resize(recreateStep(this.#fresh, [], this.#limits.replicas));
    return done;
  }

  #hasOldPods(): boolean {
    const pods = this.#context.cache(PODS);
    return this.#old.some((each) =>
      [...pods.by(byController, controllerKey(each))].some(
        ({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded',
      ),
    );
  }

  async #ensureFresh(): Promise<RolloutResult> {
    if (this.#fresh !== undefined) {
      await this.#refresh();
      return {};
    }
    const desired = newReplicaSet(this.#deployment, this.#old, this.#limits);
    try {
      this.#fresh = this.#noted(await this.#context.client.create(REPLICA_SETS, desired));
      this.#recordScaling(this.#fresh, 0);
      await this.#noteRevision();
      return { created: desired.metadata.name ?? '' };
    } catch (error) {
      if (!isAlreadyExists(error)) throw this.#recordCreateError(desired.metadata.name ?? '', error as Error);
      await this.#settleCollision(desired.metadata.name ?? '');
      return {};
    }
  }

  /** Handles a taken name: it belongs to our own set that the cache lacks yet, or to another that forces a new name. */
  async #settleCollision(name: string): Promise<void> {
    const { client } = this.#context;
    const { uid, namespace = '' } = this.#deployment.metadata;
    const found = await client.get(REPLICA_SETS, name, { namespace });
    const ours = found.metadata.ownerReferences?.some((ref) => ref.controller === true && ref.uid === uid) === true;
    if (ours && isSameTemplate(found.spec.template, this.#deployment.spec.template)) {
      this.#fresh = found;
      return;
    }
    const collisionCount = (this.#deployment.status?.collisionCount ?? 0) + 1;
    const status = { ...this.#deployment.status, collisionCount };
    this.#deployment = await writeStatus(client, DEPLOYMENTS, this.#deployment, status);
    throw new Error(`the name ${name} is already in use; trying another one`);
  }

  /** Copies the inherited fields of the Deployment to the current set, and the revision to the Deployment. */
  async #refresh(): Promise<void> {
    if (this.#fresh === undefined) return;
    const better = refreshReplicaSet(this.#fresh, this.#deployment, this.#old);
    if (!jsonEqual(better, this.#fresh)) {
      this.#fresh = this.#noted(await this.#context.client.update(REPLICA_SETS, better));
    }
    await this.#noteRevision();
  }

  async #noteRevision(): Promise<void> {
    const revision = this.#fresh?.metadata.annotations?.[REVISION];
    const { metadata } = this.#deployment;
    if (revision === undefined || metadata.annotations?.[REVISION] === revision) return;
    const annotations = { ...metadata.annotations, [REVISION]: revision };
    const changed = { ...this.#deployment, metadata: { ...metadata, annotations } };
    this.#deployment = await this.#context.client.update(DEPLOYMENTS, changed);
  }

  async #resize(sizes: Sizes): Promise<void> {
    const resize = async (set: ReplicaSet): Promise<ReplicaSet> => {
      const size = sizes.get(set.metadata.name ?? '') ?? desiredReplicas(set);
      const desired = resizeReplicaSet(set, size, this.#limits);
      if (desiredReplicas(set) === 0 && size === 0) return set;
      if (jsonEqual(desired, set)) return set;
      const resized = this.#noted(await this.#context.client.update(REPLICA_SETS, desired));
      this.#recordScaling(resized, desiredReplicas(set));
      return resized;
    };
    if (this.#fresh !== undefined) this.#fresh = await resize(this.#fresh);
    this.#old = await Promise.all(this.#old.map(resize));
  }

  #recordScaling(set: ReplicaSet, before: number): void {
    const size = desiredReplicas(set);
    if (size === before) return;
    const message = `Scaled ${size > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${size}`;
    this.#context.events.event(this.#deployment, 'Normal', 'ScalingReplicaSet', message);
  }

  /** Records why no ReplicaSet could be created, and returns the error. */
  #recordCreateError(name: string, error: Error): Error {
    if (!isNamespaceTerminating(error)) {
      const message = `Failed to create new replica set "${name}": ${error.message}`;
      this.#context.events.event(this.#deployment, 'Warning', 'ReplicaSetCreateError', message);
    }
    return error;
  }

  async #report(done: RolloutResult) {
    const { client, clock } = this.#context;
    const { status, lateInMs } = deploymentStatus(this.#deployment, this.#fresh, this.#old, clock.now(), done);
    this.#deployment = await writeStatus(client, DEPLOYMENTS, this.#deployment, status);
    return lateInMs === undefined ? undefined : { requeueAfterMs: Math.max(1000, lateInMs + 1000) };
  }

  async #cleanUp(): Promise<void> {
    const { client } = this.#context;
    for (const { metadata } of replicaSetsToPrune(this.#old, this.#deployment.spec.revisionHistoryLimit ?? 10)) {
      const { name = '', namespace = '', uid = '' } = metadata;
      await ignoreNotFound(client.delete(REPLICA_SETS, name, { namespace, preconditions: { uid } }));
    }
  }

  #noted(set: ReplicaSet): ReplicaSet {
    this.#expectations.wrote(keyOf(this.#deployment), set);
    return set;
  }
}
