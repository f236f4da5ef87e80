import { vmPool } from '#api/novacron/vm-pool';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { ClaimErrors } from '#vm/controllers/vm-resources/claim-errors';
import { claimsProvider } from '#vm/controllers/vm-resources/claims-provider';
import { vmResources } from '#vm/controllers/vm-resources/controller';
import { CLONED_RESOURCE_RULES, vmResourceRules } from '#vm/controllers/vm-resources/rbac';
import { usageRounds } from '#vm/controllers/vm-resources/usage';
import type { Dialect } from '#vm/engine/dialect';
import type { GroupControllers, GroupDeps, GroupParts } from '../group-controllers.ts';
import { hasOperations } from '../has-operations.ts';
import { pools } from './pool/controller.ts';
import { POOL_RULES } from './pool/rbac.ts';
import { NOVACRON_RESOURCES } from './vm-resources.ts';

/** Controllers of pools, and of the resources of NovaCron's VMs. */
export const novacronControllers: GroupControllers = { group: 'novacron.io', kinds: [vmPool], create, rules };

function create({ run, dialects, usage, clock, onlyNamespace, defaultImage, fits }: GroupDeps): GroupParts {
  const operations = hasOperations(dialects);
  const refusals = new ClaimErrors();
  const rounds = usage === undefined ? undefined : usageRounds(NOVACRON_RESOURCES, { usage, clock });
  return {
    providers: {
      claims: claimsProvider(NOVACRON_RESOURCES, operations, refusals),
      ...(rounds === undefined ? {} : { usage: rounds.provider }),
    },
    runnables: [
      run(vmResources(NOVACRON_RESOURCES, operations, refusals, onlyNamespace), 'virtualmachine-controller'),
      run(pools({ defaultImage, usage, fits }), 'vmpool-controller'),
      ...(rounds === undefined ? [] : [rounds.runnable]),
    ],
  };
}

function rules(dialects: readonly Dialect[]): readonly PolicyRule[] {
  return [
    ...vmResourceRules(NOVACRON_RESOURCES),
    ...POOL_RULES,
    ...(hasOperations(dialects) ? CLONED_RESOURCE_RULES : []),
  ];
}
