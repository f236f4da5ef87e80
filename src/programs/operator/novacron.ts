import type { Vmi } from '#api/kubevirt/resources';
import { virtualMachine } from '#api/novacron/virtual-machine';
import type { Clock } from '#platform/base/clock';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { Runnable } from '#platform/runtime/runnable';
import { ClaimErrors } from '#vm/controllers/vm-resources/claim-errors';
import { claimsProvider } from '#vm/controllers/vm-resources/claims-provider';
import { vmResources } from '#vm/controllers/vm-resources/controller';
import { NOVACRON_RESOURCES } from '#vm/controllers/vm-resources/novacron';
import { CLONED_RESOURCE_RULES, vmResourceRules } from '#vm/controllers/vm-resources/rbac';
import { usageRounds } from '#vm/controllers/vm-resources/usage';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';
import type { Usage } from '#vm/engine/metrics';
import { isHypersdkOn, type Running } from './hypersdk.ts';

/** Reports whether VMs of novacron.io are managed. */
function isNovacronOn(dialects: readonly Dialect[]): boolean {
  return dialects.some(({ kind }) => kind.group === virtualMachine.group);
}

interface NovacronSettings {
  readonly dialects: readonly Dialect[];
  /** Returns the usage of a running instance. Absent if it is not known. */
  readonly usage: ((instance: Vmi) => Usage | undefined) | undefined;
  /** The only namespace that is managed, if there is just one. */
  readonly onlyNamespace?: string | undefined;
  readonly clock: Clock;
}

/** Creates the group's controllers besides that of its VMs, and the dependency providers of its VMs. */
export function novacronParts(
  run: Running,
  { dialects, usage, clock, onlyNamespace }: NovacronSettings,
): { readonly providers: DependencyProviders; readonly runnables: readonly Runnable[] } {
  if (!isNovacronOn(dialects)) return { providers: {}, runnables: [] };
  const operations = isHypersdkOn(dialects);
  const refusals = new ClaimErrors();
  const rounds = usage === undefined ? undefined : usageRounds(NOVACRON_RESOURCES, { usage, clock });
  return {
    providers: {
      claims: claimsProvider(NOVACRON_RESOURCES, operations, refusals),
      ...(rounds === undefined ? {} : { usage: rounds.provider }),
    },
    runnables: [
      run(vmResources(NOVACRON_RESOURCES, operations, refusals, onlyNamespace), 'virtualmachine-controller'),
      ...(rounds === undefined ? [] : [rounds.runnable]),
    ],
  };
}

/** Returns the permissions for the group. */
export function novacronRules(dialects: readonly Dialect[]): readonly PolicyRule[] {
  if (!isNovacronOn(dialects)) return [];
  return [...vmResourceRules(NOVACRON_RESOURCES), ...(isHypersdkOn(dialects) ? CLONED_RESOURCE_RULES : [])];
}
