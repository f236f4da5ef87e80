import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { vmTemplate } from '#api/hypersdk/vm-template';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { operations } from '#vm/controllers/operation/controller';
import { operationRules } from '#vm/controllers/operation/rbac';
import { snapshots } from '#vm/controllers/snapshot/controller';
import { diskPopulator } from '#vm/controllers/snapshot/disk-populator';
import { snapshotRules } from '#vm/controllers/snapshot/rbac';
import { templates } from '#vm/controllers/template/controller';
import { TEMPLATE_RULES } from '#vm/controllers/template/rbac';
import { templateProvider } from '#vm/controllers/template/template-provider';
import { ClaimErrors } from '#vm/controllers/vm-resources/claim-errors';
import { claimsProvider } from '#vm/controllers/vm-resources/claims-provider';
import { vmResources } from '#vm/controllers/vm-resources/controller';
import { CLONED_RESOURCE_RULES, vmResourceRules } from '#vm/controllers/vm-resources/rbac';
import { usageRounds } from '#vm/controllers/vm-resources/usage';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';
import { imageProvider } from '#vm/images/image-provider';

import type { GroupControllers, GroupDeps, GroupParts } from '../group-controllers.ts';
import { secretProvider } from './secret-provider.ts';
import { HYPERSDK_RESOURCES } from './vm-resources.ts';

/** Controllers of templates, operations and snapshots, and of the resources of HyperSDK's VMs. */
export const hypersdkControllers: GroupControllers = {
  group: 'hypersdk.io',
  kinds: [vmTemplate, vmOperation, vmSnapshot],
  create,
  rules,
};

function create(deps: GroupDeps): GroupParts {
  const { run, carbon, dialects, images, verifier, usage, readsSecrets, onlyNamespace, clock, recheck } = deps;
  const within = onlyNamespace === undefined ? {} : { onlyNamespace };
  const rechecking = recheck === undefined ? {} : { recheck };
  const probing = images === undefined ? {} : { probe: images };
  const rounds = usage === undefined ? undefined : usageRounds(HYPERSDK_RESOURCES, { usage, clock });
  const refusals = new ClaimErrors();
  const made: DependencyProviders = {
    claims: claimsProvider(HYPERSDK_RESOURCES, true, refusals),
    template: templateProvider,
  };
  return {
    providers: {
      ...made,
      ...(carbon === undefined
        ? {}
        : { carbon: carbon.provider((machine, context) => templateProvider.provide(machine, context)) }),
      ...(rounds === undefined ? {} : { usage: rounds.provider }),
      ...(verifier === undefined ? {} : { image: imageProvider(verifier, templateProvider) }),
      ...(readsSecrets === true ? { secret: secretProvider } : {}),
    },
    runnables: [
      run(vmResources(HYPERSDK_RESOURCES, true, refusals, onlyNamespace), 'virtualmachine-controller'),
      run(templates({ ...rechecking, ...probing, verifies: verifier !== undefined }), 'vmtemplate-controller'),
      run(operations({ dialects, providers: made, ...within }), 'vmoperation-controller'),
      run(snapshots({ dialects, providers: { template: templateProvider }, ...within }), 'vmsnapshot-controller'),
      run(diskPopulator({ dialects, gatherers: { template: templateProvider }, ...within }), 'vmsnapshot-controller'),
      ...(carbon === undefined ? [] : [carbon.runnable]),
      ...(rounds === undefined ? [] : [rounds.runnable]),
    ],
  };
}

/** Carbon-aware start reads the zones of nodes. The chart adds the ConfigMap for that provider. */
const CARBON_RULES: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] }];

function rules(dialects: readonly Dialect[]): readonly PolicyRule[] {
  return [
    ...vmResourceRules(HYPERSDK_RESOURCES),
    ...CLONED_RESOURCE_RULES,
    ...TEMPLATE_RULES,
    ...CARBON_RULES,
    ...operationRules(dialects.map(({ kind }) => kind)),
    ...snapshotRules(dialects.map(({ kind }) => kind)),
  ];
}
