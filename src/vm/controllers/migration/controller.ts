import { VMIMS, VMIS, type Vmim } from '#api/kubevirt/resources';
import { virtualMachineInstanceMigration } from '#api/kubevirt/virtual-machine-instance-migration';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { isNotFound } from '#platform/kube/kube-error';
import { type Context, type Controller, type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { AdmissionRechecks } from '#vm/engine/admission-recheck';
import { executeMigrationAction } from './execute-migration-action.ts';
import { instanceKey, migrationKey, migrationsByInstance } from './indices.ts';
import { MigrationEntry, type MigrationScope } from './migration-entry.ts';
import { migrationsToPrune } from './migration-queue.ts';
import { MigrationSlots } from './migration-slots.ts';
import { observeMigration } from './observe-migration.ts';
import { type MigrationAction, planMigration } from './plan-migration.ts';
import { MIGRATION_FINALIZER, MIGRATION_SETTINGS, type MigrationSettings } from './settings.ts';
import { isMigrationFinished, migrationPhaseOf } from './status.ts';

/** Requeue delay if a cache does not show a write yet, whose event may concern another object. */
const REQUEUE_SOON: ReconcileResult = { requeueAfterMs: 50 };

/** Reconciles live migrations: creates the target pod, informs the node agents, and cleans up. */
export function migrations(given: Partial<MigrationSettings> = {}): Controller<Vmim> {
  const settings = { ...MIGRATION_SETTINGS, ...given };
  const slots = new MigrationSlots(settings);
  const reconciler = new MigrationReconciler(settings, slots);
  return {
    name: 'virtualmachineinstancemigration.kubevirt.io',
    for: VMIMS,
    concurrency: 4,
    reads: [PERSISTENT_VOLUME_CLAIMS],
    watches: [targetWatch, instanceWatch, slotWatch(slots)],
    async reconcile(vmim, context) {
      const again = await reconciler.run(vmim, context);
      return again === 'released' ? undefined : again;
    },
    finalize: {
      finalizer: MIGRATION_FINALIZER,
      async run(vmim, context) {
        const again = await reconciler.run(vmim, context);
        return again === 'released' ? undefined : (again ?? 'held');
      },
    },
    forget: (key) => reconciler.forget(key),
  };
}

class MigrationReconciler {
  readonly #settings: MigrationSettings;
  readonly #slots: MigrationSlots;
  readonly #rechecks: AdmissionRechecks;
  readonly #entries = new Map<string, MigrationEntry>();

  constructor(settings: MigrationSettings, slots: MigrationSlots) {
    this.#settings = settings;
    this.#slots = slots;
    this.#rechecks = new AdmissionRechecks(virtualMachineInstanceMigration, settings.recheck);
  }

  async run(vmim: Vmim, context: Context): Promise<ReconcileResult | 'released' | undefined> {
    const { cache } = context;
    const entry = this.#entry(keyOf(vmim));
    if (!entry.podWrites.isMet(cache(PODS)) || !entry.instanceWrites.isMet(cache(VMIS))) return REQUEUE_SOON;
    const view = await observeMigration(vmim, context);
    const isPending = migrationPhaseOf(vmim) === 'Pending';
    const rejection = isPending ? this.#rechecks.of(keyOf(vmim), vmim)?.message : undefined;
    if (!isPending) this.#slots.release(vmim);
    // No await may come between this check of the limits and taking a slot.
    const turn = isPending && this.#slots.next(context).some((each) => each.vmim.metadata.uid === vmim.metadata.uid);
    const actions = planMigration({ ...view, ...(rejection === undefined ? {} : { rejection }), turn }, this.#settings);
    if (actions.some((action) => action.do === 'make target')) this.#slots.take(vmim, context);
    const again = await this.#execute(actions, { vmim, vmi: view.vmi, entry, context });
    if (again !== 'released' && isMigrationFinished(vmim)) await prune(vmim, this.#settings.retained, context);
    return again;
  }

  forget(key: string): void {
    this.#entries.delete(key);
    this.#rechecks.forget(key);
  }

  #entry(key: string): MigrationEntry {
    const entry = this.#entries.get(key) ?? new MigrationEntry();
    this.#entries.set(key, entry);
    return entry;
  }

  async #execute(
    actions: readonly MigrationAction[],
    scope: MigrationScope,
  ): Promise<ReconcileResult | 'released' | undefined> {
    let again: ReconcileResult | undefined;
    try {
      for (const action of actions) {
        if (action.do === 'release') return 'released';
        if (action.do === 'requeue') again = { requeueAfterMs: action.requeueAfterMs };
        else await executeMigrationAction(action, scope, this.#settings);
      }
      return again;
    } catch (error) {
      this.#slots.release(scope.vmim);
      throw error;
    }
  }
}

/** Deletes the oldest finished migrations of an instance. */
async function prune(vmim: Vmim, retained: number, { cache, client }: Context): Promise<void> {
  const finished = [...cache(VMIMS).by(migrationsByInstance, instanceKey(vmim))].filter(
    (each) => isMigrationFinished(each) && each.metadata.deletionTimestamp === undefined,
  );
  for (const { metadata } of migrationsToPrune(finished, retained)) {
    const { name, namespace, uid } = metadata;
    await client.delete(VMIMS, name, { namespace, preconditions: { uid } }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

const targetWatch: WatchSource = watchSource(PODS, (pod) => {
  const key = migrationKey(pod);
  return key === undefined ? [] : [key];
});

const instanceWatch: WatchSource = watchSource(VMIS, (vmi, { cache }) =>
  [...cache(VMIMS).by(migrationsByInstance, keyOf(vmi))]
    .filter((each) => !isMigrationFinished(each) || isLeaving(each))
    .map(keyOf),
);

const isLeaving = ({ metadata }: Vmim) => metadata.deletionTimestamp !== undefined;

/** Wakes the next migrations when a finished one frees its slot. */
function slotWatch(slots: MigrationSlots): WatchSource {
  return watchSource(VMIMS, (vmim, context, { type, object }) => {
    if (vmim !== object || (type !== 'deleted' && !isMigrationFinished(vmim))) return [];
    slots.release(vmim);
    return slots.next(context).map((each) => keyOf(each.vmim));
  });
}
