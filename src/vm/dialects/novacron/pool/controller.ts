import { VMIS } from '#api/kubevirt/resources';
import { NOVACRON_VMS, type NovacronVm, type Pool, VM_POOLS } from '#api/novacron/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { CONTROLLER_REVISIONS, type ControllerRevision } from '#platform/kube/kinds/workloads';
import { byController, controllerKey, uncontrolledIn } from '#platform/runtime/cache';
import { type Context, type Controller, type WatchSource, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import { claimObjects } from '#platform/runtime/ownership/claim-objects';
import { REVISION_HASH, revisionsToPrune } from '#platform/runtime/revisions/revision-history';
import { deleteRevisions, syncRevisions } from '#platform/runtime/revisions/sync-revisions';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { computeFit } from '#vm/forecast/budgeted-fits';
import { type PoolPlan, type PoolRevisions, planPool } from './plan-pool.ts';
import { PoolAutoscaler } from './pool-autoscaler.ts';
import { PoolExecutor } from './pool-executor.ts';
import type { ForecastFits } from './pool-forecasts.ts';
import { revisionOf } from './pool-vm.ts';
import type { InstanceUsage } from './read-metrics.ts';
import { poolLabels, selectorOf } from './selector.ts';
import { type PoolFailure, type PoolStatus, poolStatus } from './status.ts';

export interface PoolControllerOptions {
  /** Image for templates that have none. */
  readonly defaultImage?: string | undefined;
  /** Returns the usage of a running instance. Absent if it is not known. */
  readonly usage?: InstanceUsage | undefined;
  /** Computes fits of forecasts. Defaults to this thread, for simulated time. */
  readonly fits?: ForecastFits | undefined;
}

/** Time within which changes of VMs are observed together, and between two writes of counts alone. */
const GATHERED_MS = 100;
const STATUS_MS = 1000;

/** State of one pool that the controller keeps in memory. */
interface PoolEntry {
  lookedAt: number;
  lookedGeneration: number | undefined;
  writtenAt: number;
}

/** Reconciles pools: maintains the number of their VMs, rolls out templates, and reports both. */
export function pools(options: PoolControllerOptions = {}): Controller<Pool> {
  const reconciler = new PoolReconciler(options);
  return {
    name: 'vmpool.novacron.io',
    for: VM_POOLS,
    owns: [NOVACRON_VMS, CONTROLLER_REVISIONS],
    reads: [VMIS, PODS],
    watches: [adoptingPools],
    concurrency: 4,
    reconcile: (pool, context) => reconciler.run(pool, context),
    forget: (key) => reconciler.forget(key),
  };
}

/** VMs without a controller concern the pools that may adopt them. */
const adoptingPools: WatchSource = watchSource(NOVACRON_VMS, ({ metadata }, { cache }) => {
  if (metadata.labels === undefined || metadata.ownerReferences?.some(({ controller }) => controller === true))
    return [];
  const near = [...cache(VM_POOLS).inNamespace(metadata.namespace)];
  return near.filter((pool) => selectorOf(pool).matches(metadata.labels)).map(keyOf);
});

class PoolReconciler {
  readonly #options: PoolControllerOptions;
  readonly #expectations = new Expectations();
  readonly #revisionExpectations = new Expectations();
  readonly #entries = new Map<string, PoolEntry>();
  readonly #autoscaler: PoolAutoscaler;

  constructor(options: PoolControllerOptions) {
    this.#options = options;
    this.#autoscaler = new PoolAutoscaler(options.usage, options.fits ?? { fit: computeFit });
  }

  forget(key: string): void {
    this.#expectations.forget(key);
    this.#revisionExpectations.forget(key);
    this.#autoscaler.forget(key);
    this.#entries.delete(key);
  }

  async run(pool: Pool, context: Context): Promise<ReconcileResult | undefined> {
    const key = keyOf(pool);
    const wait = this.#gather(key, pool, context.clock.monotonic());
    if (wait > 0) return { requeueAfterMs: wait };
    if (pool.metadata.deletionTimestamp !== undefined) return undefined;
    if (!this.#expectations.met(key, context.cache(NOVACRON_VMS))) return undefined;
    if (!this.#revisionExpectations.met(key, context.cache(CONTROLLER_REVISIONS))) return undefined;
    const vms = await this.#claim(pool, context);
    const revisions = await syncRevisions(VM_POOLS, pool, context, this.#revisionExpectations, poolLabels(pool));
    const { measures, forecast, isForeign, againMs } = await this.#autoscaler.measure(pool, vms, context);
    const now = context.clock.now();
    const { defaultImage } = this.#options;
    const plan = planPool({ pool, vms, revisions, measures, forecast: forecast?.demand, defaultImage, now });
    this.#warn(pool, plan, context);
    await this.#autoscaler.remember(pool, plan.decision, context);
    const failure = (await this.#execute(plan, pool, context)) ?? plan.problem;
    const again = await this.#report(poolStatus({ pool, vms, plan, failure, forecast, isForeign, now }), pool, context);
    await this.#prune(pool, revisions, plan, vms, context);
    if (failure !== undefined && plan.problem === undefined) throw new Error(failure.message);
    const times = [again?.requeueAfterMs, plan.rollout.againMs, againMs].filter((ms) => ms !== undefined);
    return times.length === 0 ? undefined : { requeueAfterMs: Math.min(...times) };
  }

  /** Tells users once that metrics cannot be read. */
  #warn(pool: Pool, { decision }: PoolPlan, { events }: Context): void {
    const { reason, message } = decision.active;
    const before = pool.status?.conditions?.find(({ type }) => type === 'ScalingActive');
    if (reason === 'FailedGetMetrics' && before?.reason !== reason) events.event(pool, 'Warning', reason, message);
  }

  /** Returns how long to wait for further changes of VMs. A change of the pool itself is handled at once. */
  #gather(key: string, { metadata }: Pool, now: number): number {
    const entry = this.#entryOf(key);
    const wait = entry.lookedGeneration === metadata.generation ? entry.lookedAt + GATHERED_MS - now : 0;
    if (wait <= 0) {
      entry.lookedAt = now;
      entry.lookedGeneration = metadata.generation;
    }
    return wait;
  }

  async #claim(pool: Pool, { client, cache }: Context): Promise<NovacronVm[]> {
    const vms = cache(NOVACRON_VMS);
    const near = [...vms.by(byController, controllerKey(pool)), ...vms.by(uncontrolledIn, pool.metadata.namespace)];
    return await claimObjects(
      {
        client,
        ownerType: VM_POOLS,
        owner: pool,
        type: NOVACRON_VMS,
        selector: selectorOf(pool),
        expectations: this.#expectations,
      },
      near,
    );
  }

  async #execute(plan: PoolPlan, pool: Pool, context: Context): Promise<PoolFailure | undefined> {
    const { defaultImage } = this.#options;
    const executor = new PoolExecutor({ expectations: this.#expectations, defaultImage }, pool, context);
    let failure: PoolFailure | undefined;
    for (const action of plan.actions) failure = (await executor.execute(action)) ?? failure;
    return failure;
  }

  /** Writes the status, but counts alone only from time to time. */
  async #report(status: PoolStatus, pool: Pool, { client, clock }: Context): Promise<ReconcileResult | undefined> {
    const entry = this.#entryOf(keyOf(pool));
    const wait = entry.writtenAt + STATUS_MS - clock.monotonic();
    if (wait > 0 && isOnlyProgress(pool.status, status)) return { requeueAfterMs: wait };
    const written = await writeStatus(client, VM_POOLS, pool, status);
    if (written !== pool) entry.writtenAt = clock.monotonic();
    return undefined;
  }

  async #prune(
    pool: Pool,
    { history }: PoolRevisions,
    plan: PoolPlan,
    vms: readonly NovacronVm[],
    { client }: Context,
  ) {
    const used = new Set([plan.currentRevision, plan.updateRevision, ...vms.map(revisionOf)]);
    const isUsed = ({ metadata }: ControllerRevision) => used.has(metadata.labels?.[REVISION_HASH]);
    await deleteRevisions(revisionsToPrune(history, isUsed, pool.spec.revisionHistoryLimit), client);
  }

  #entryOf(key: string): PoolEntry {
    const entry = this.#entries.get(key) ?? {
      lookedAt: Number.NEGATIVE_INFINITY,
      lookedGeneration: undefined,
      writtenAt: Number.NEGATIVE_INFINITY,
    };
    this.#entries.set(key, entry);
    return entry;
  }
}

/** Reports whether a status differs only in what changes with every VM that starts. Arrival is reported at once. */
function isOnlyProgress(before: PoolStatus | undefined, after: PoolStatus): boolean {
  if (before?.observedGeneration !== after.observedGeneration || before?.desiredReplicas !== after.desiredReplicas) {
    return false;
  }
  const isSettled = after.unavailableReplicas === 0 && after.updatedReplicas === after.replicas;
  const reasons = (status: PoolStatus | undefined) =>
    (status?.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`).join();
  return !isSettled && reasons(before) === reasons(after);
}
