import { VMIMS, VMIS, type Vmim } from '#api/kubevirt/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { controllerKey } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { byMigration, byProgress, instanceKey } from './indices.ts';
import { type MigrationCandidate, migrationsToStart } from './migration-queue.ts';
import type { MigrationLimits } from './settings.ts';

/** Limits how many migrations are in progress at once. */
export class MigrationSlots {
  readonly #limits: MigrationLimits;
  /** Migrations that have just started, by uid, while the cache still shows them as waiting. */
  readonly #taken = new Map<string, MigrationCandidate>();

  constructor(limits: MigrationLimits) {
    this.#limits = limits;
  }

  /** Returns the migrations that may start now. */
  next(context: Pick<Context, 'cache'>): MigrationCandidate[] {
    const { cache } = context;
    const waiting: MigrationCandidate[] = [];
    const inProgress = new Map(this.#taken);
    for (const vmim of cache(VMIMS).by(byProgress, 'in progress'))
      inProgress.set(vmim.metadata.uid, candidate(vmim, context));
    for (const vmim of cache(VMIMS).by(byProgress, 'waiting')) {
      const { uid, deletionTimestamp } = vmim.metadata;
      const [target] = cache(PODS).by(byMigration, controllerKey(vmim));
      if (target !== undefined || this.#taken.has(uid)) inProgress.set(uid, candidate(vmim, context));
      else if (deletionTimestamp === undefined) waiting.push(candidate(vmim, context));
    }
    return migrationsToStart(waiting, [...inProgress.values()], this.#limits);
  }

  take(vmim: Vmim, context: Pick<Context, 'cache'>): void {
    this.#taken.set(vmim.metadata.uid, candidate(vmim, context));
  }

  /** Gives back a slot, or leaves it to the cache to show that it is taken. */
  release({ metadata }: Vmim): void {
    this.#taken.delete(metadata.uid);
  }
}

function candidate(vmim: Vmim, { cache }: Pick<Context, 'cache'>): MigrationCandidate {
  const instance = instanceKey(vmim);
  const { phase, nodeName = '' } = cache(VMIS).get(instance)?.status ?? {};
  return { vmim, instance, node: phase === 'Running' ? nodeName : '' };
}
