import { EXPORTER_RULES } from '#fleet/exporter/rbac';
import { SCENARIO_RULES } from '#fleet/simulation/rbac';
import type { Client } from '#platform/kube/client';
import { LEASES } from '#platform/kube/kinds/node';
import { isNotFound } from '#platform/kube/kube-error';
import { EVENT_RULES, leaseRules } from '#platform/runtime/rbac';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import { vmShortNameGroup } from '#programs/cli/vm-short-name';
import { kindsOf } from '#programs/install/crds';
import { operatorRules } from '#programs/operator/controllers';
import type { Dialect } from '#vm/engine/dialect';
import { USER_ROLES } from '#vm/engine/subresources/roles';
import { NODE_RULES, PROVISIONER_RULES } from '#vm/node/rbac';
import { ensureStorageClasses } from '#vm/node/simulated/storage/storage-classes';
import { alignNodes } from './align-nodes.ts';
import type { ComponentOptions } from './embedded-options.ts';
import { EXPORTER, NODE, OPERATOR, OPERATOR_LEASE, PROVISIONER, SCENARIO_RUNNER } from './identities.ts';
import { type Changed, installComponents } from './install.ts';
import { clearScenarioNodes } from './scenario-nodes.ts';

/** Installs what all components require before they run. Throws the signal's reason if it is aborted meanwhile. */
export async function prepareUnlessAborted(
  admin: Client,
  options: ComponentOptions,
  dialects: readonly Dialect[],
): Promise<Changed> {
  const { signal } = options;
  if (signal === undefined) return await prepare(admin, options, dialects);
  signal.throwIfAborted();
  const changed = await Promise.race([prepare(admin, options, dialects), rejectOnAbort(signal)]);
  signal.throwIfAborted();
  return changed;
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  await waitForAbort(signal);
  throw signal.reason;
}

async function prepare(admin: Client, options: ComponentOptions, dialects: readonly Dialect[]): Promise<Changed> {
  const changed = await installComponents(admin, {
    kinds: kindsOf(options.dialects),
    vmShortName: vmShortNameGroup(options.dialects, options.vmShortName),
    now: options.clock.now(),
    actors: [
      { name: OPERATOR, rules: [...operatorRules(dialects), ...leaseRules(OPERATOR_LEASE.name), ...EVENT_RULES] },
      { name: NODE, rules: NODE_RULES },
      { name: PROVISIONER, rules: PROVISIONER_RULES },
      ...(options.dialects.includes('simulation')
        ? [
            { name: EXPORTER, rules: EXPORTER_RULES },
            { name: SCENARIO_RUNNER, rules: [...SCENARIO_RULES, ...EVENT_RULES] },
          ]
        : []),
    ],
    roles: USER_ROLES,
  });
  await ensureStorageClasses(admin);
  await clearScenarioNodes(admin);
  const nodes = await alignNodes(admin, options.earlierPools ?? [], options.pools);
  // Only a process with the data directory's lock can have held this lease, so its previous holder is gone.
  const { namespace, name } = OPERATOR_LEASE;
  await admin.delete(LEASES, name, { namespace }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  return { ...changed, nodes };
}
