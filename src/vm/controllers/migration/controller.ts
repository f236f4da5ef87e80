import { VMIMS, VMIS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { virtualMachineInstanceMigration } from '#api/kubevirt/virtual-machine-instance-migration';
import { MIGRATION_LABEL } from '#api/launcher';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound, isNotFound } from '#platform/kube/kube-error';
import { byController, controllerKey } from '#platform/runtime/cache';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { AdmissionRechecks } from '#vm/engine/admission-recheck';
import { activePod, byMigration, byProgress, instanceKey, migrationKey, migrationsByInstance } from './indices.ts';
import { createMigrationExecutor } from './migration-executor.ts';
import { type MigrationCandidate, migrationsToPrune, migrationsToStart } from './migration-queue.ts';
import { type MigrationView, planMigration } from './plan-migration.ts';
import { MIGRATION_FINALIZER, MIGRATION_SETTINGS, type MigrationSettings } from './settings.ts';
import { isMigrationFinished, phaseOf } from './status.ts';

/** Requeue delay if a cache does not show a write yet, whose event may concern another object. */
const SOON: ReconcileResult = { requeueAfterMs: 50 };

/** Reconciles live migrations: creates the target pod, informs the node agents, and cleans up. */
export function migrations(given: Partial<MigrationSettings> = {}): Controller<Vmim> {
  const settings = { ...MIGRATION_SETTINGS, ...given };
  const pods = new Expectations();
  const instances = new Expectations();
  /** Migrations that have just started, by uid, while the cache still shows them as waiting. */
  const begun = new Map<string, MigrationCandidate>();
  const reviews = new AdmissionRechecks(virtualMachineInstanceMigration, settings.recheck);
  const act = createMigrationExecutor({ settings, pods, instances });

  const candidate = (vmim: Vmim, { cache }: Pick<Context, 'cache'>): MigrationCandidate => {
    const instance = instanceKey(vmim);
    const { phase, nodeName = '' } = cache(VMIS).get(instance)?.status ?? {};
    return { vmim, instance, node: phase === 'Running' ? nodeName : '' };
  };

  /** Returns the migrations that may start now. */
  function next(context: Pick<Context, 'cache'>): MigrationCandidate[] {
    const { cache } = context;
    const waiting: MigrationCandidate[] = [];
    const underWay = new Map(begun);
    for (const vmim of cache(VMIMS).by(byProgress, 'in progress'))
      underWay.set(vmim.metadata.uid, candidate(vmim, context));
    for (const vmim of cache(VMIMS).by(byProgress, 'waiting')) {
      const { uid, deletionTimestamp } = vmim.metadata;
      const [target] = cache(PODS).by(byMigration, controllerKey(vmim));
      if (target !== undefined || begun.has(uid)) underWay.set(uid, candidate(vmim, context));
      else if (deletionTimestamp === undefined) waiting.push(candidate(vmim, context));
    }
    return migrationsToStart(waiting, [...underWay.values()], settings);
  }

  async function look(vmim: Vmim, context: Context): Promise<Omit<MigrationView, 'turn'>> {
    const { cache, clock } = context;
    const vmi =
      cache(VMIS).get(instanceKey(vmim)) ?? (isMigrationFinished(vmim) ? undefined : await instanceOf(vmim, context));
    const known = vmim.status?.migrationState ?? vmi?.status?.migrationState;
    let [target] = cache(PODS).by(byMigration, controllerKey(vmim)) as Iterable<Pod | undefined>;
    // A missing target pod is only believed if the server confirms it.
    if (target === undefined && !isMigrationFinished(vmim) && phaseOf(vmim) !== 'Pending')
      target = await targetOf(vmim, context);
    const own = vmi === undefined ? [] : [...cache(PODS).by(byController, controllerKey(vmi))];
    const mine = known?.migrationUid === vmim.metadata.uid ? known.sourcePod : undefined;
    const source = mine === undefined ? vmi && activePod(vmi, own) : own.find(({ metadata }) => metadata.name === mine);
    const rejection = phaseOf(vmim) === 'Pending' ? reviews.of(keyOf(vmim), vmim)?.message : undefined;
    return { vmim, vmi, target, source, ...(rejection === undefined ? {} : { rejection }), now: clock.now() };
  }

  async function step(vmim: Vmim, context: Context): Promise<ReconcileResult | 'released' | undefined> {
    const { cache } = context;
    const key = keyOf(vmim);
    const { uid } = vmim.metadata;
    if (!pods.met(key, cache(PODS)) || !instances.met(key, cache(VMIS))) return SOON;
    const seen = await look(vmim, context);
    if (phaseOf(vmim) !== 'Pending') begun.delete(uid);
    // No await may come between this check of the limits and taking a slot.
    const turn = phaseOf(vmim) === 'Pending' && next(context).some((each) => each.vmim.metadata.uid === uid);
    const actions = planMigration({ ...seen, turn }, settings);
    if (actions.some((action) => action.do === 'make target')) begun.set(uid, candidate(vmim, context));
    let again: ReconcileResult | undefined;
    try {
      for (const action of actions) {
        if (action.do === 'release') return 'released';
        if (action.do === 'requeue') again = { requeueAfterMs: action.requeueAfterMs };
        else await act(action, vmim, seen.vmi, context);
      }
    } catch (error) {
      begun.delete(uid);
      throw error;
    }
    if (isMigrationFinished(vmim)) await forgetOld(vmim, context);
    return again;
  }

  async function forgetOld(vmim: Vmim, { cache, client }: Context): Promise<void> {
    const finished = [...cache(VMIMS).by(migrationsByInstance, instanceKey(vmim))].filter(
      (each) => isMigrationFinished(each) && each.metadata.deletionTimestamp === undefined,
    );
    for (const { metadata } of migrationsToPrune(finished, settings.retained)) {
      const { name, namespace, uid } = metadata;
      await client.delete(VMIMS, name, { namespace, preconditions: { uid } }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  }

  return {
    name: 'virtualmachineinstancemigration.kubevirt.io',
    for: VMIMS,
    concurrency: 4,
    reads: [PERSISTENT_VOLUME_CLAIMS],
    watches: [
      watchSource(PODS, (pod) => {
        const key = migrationKey(pod);
        return key === undefined ? [] : [key];
      }),
      watchSource(VMIS, (vmi, { cache }) =>
        [...cache(VMIMS).by(migrationsByInstance, keyOf(vmi))]
          .filter((each) => !isMigrationFinished(each) || isLeaving(each))
          .map(keyOf),
      ),
      // A finished migration frees its slot for others.
      watchSource(VMIMS, (vmim, context, { type, object }) => {
        if (vmim !== object || (type !== 'deleted' && !isMigrationFinished(vmim))) return [];
        begun.delete(vmim.metadata.uid);
        return next(context).map((each) => keyOf(each.vmim));
      }),
    ],
    async reconcile(vmim, context) {
      const again = await step(vmim, context);
      return again === 'released' ? undefined : again;
    },
    finalize: {
      finalizer: MIGRATION_FINALIZER,
      async run(vmim, context) {
        const again = await step(vmim, context);
        return again === 'released' ? undefined : (again ?? 'held');
      },
    },
    forget(key) {
      pods.forget(key);
      instances.forget(key);
      reviews.forget(key);
    },
  };
}

const isLeaving = ({ metadata }: Vmim) => metadata.deletionTimestamp !== undefined;

/** Reads the instance from the server, since its cache may lag behind that of migrations. */
async function instanceOf({ metadata, spec }: Vmim, { client }: Context): Promise<Vmi | undefined> {
  return await ignoreNotFound(client.get(VMIS, spec.vmiName, { namespace: metadata.namespace }));
}

async function targetOf({ metadata }: Vmim, { client }: Context): Promise<Pod | undefined> {
  const { namespace, uid } = metadata;
  const { items } = await client.list(PODS, { namespace, labelSelector: `${MIGRATION_LABEL}=${uid}` });
  return items[0];
}
