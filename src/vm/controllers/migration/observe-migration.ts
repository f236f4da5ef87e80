import { VMIS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { MIGRATION_LABEL } from '#api/launcher';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { byController, controllerKey } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { activePod, byMigration, instanceKey } from './indices.ts';
import type { MigrationView } from './plan-migration.ts';
import { isMigrationFinished, migrationPhaseOf } from './status.ts';

/** Collects the current state that a migration is decided by. */
export async function observeMigration(
  vmim: Vmim,
  context: Context,
): Promise<Omit<MigrationView, 'turn' | 'rejection'>> {
  const { cache, clock } = context;
  const vmi =
    cache(VMIS).get(instanceKey(vmim)) ?? (isMigrationFinished(vmim) ? undefined : await instanceOf(vmim, context));
  const known = vmim.status?.migrationState ?? vmi?.status?.migrationState;
  let [target] = cache(PODS).by(byMigration, controllerKey(vmim)) as Iterable<Pod | undefined>;
  // A missing target pod is only believed if the server confirms it.
  if (target === undefined && !isMigrationFinished(vmim) && migrationPhaseOf(vmim) !== 'Pending')
    target = await targetOf(vmim, context);
  const own = vmi === undefined ? [] : [...cache(PODS).by(byController, controllerKey(vmi))];
  const mine = known?.migrationUid === vmim.metadata.uid ? known.sourcePod : undefined;
  const source = mine === undefined ? vmi && activePod(vmi, own) : own.find(({ metadata }) => metadata.name === mine);
  return { vmim, vmi, target, source, now: clock.now() };
}

/** Reads the instance from the server, since its cache may lag behind that of migrations. */
async function instanceOf({ metadata, spec }: Vmim, { client }: Context): Promise<Vmi | undefined> {
  return await ignoreNotFound(client.get(VMIS, spec.vmiName, { namespace: metadata.namespace }));
}

async function targetOf({ metadata }: Vmim, { client }: Context): Promise<Pod | undefined> {
  const { namespace, uid } = metadata;
  const { items } = await client.list(PODS, { namespace, labelSelector: `${MIGRATION_LABEL}=${uid}` });
  return items[0];
}
