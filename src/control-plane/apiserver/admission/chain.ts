import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import type { Access } from '../access/rbac-escalation.ts';
import type { AddedPlugins, AdmissionPlugin } from '../admission-plugin.ts';
import type { ServerHost } from '../host.ts';
import type { ObjectSource } from '../object-source.ts';
import { admissionEnvironment } from './cel/expression.ts';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificates.ts';
import { defaultIngressClass, defaultStorageClass } from './default-class.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { limitRanger } from './limit-ranger.ts';
import { ADMISSION_GROUP } from './matching.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { podResizeCapacity } from './pod-resize.ts';
import { podSecurity } from './pod-security/pod-security.ts';
import { BoundPolicies } from './policies/bound-policy.ts';
import { expressionCheck } from './policies/expression-check.ts';
import { MUTATIONS } from './policies/messages.ts';
import { compileMutations, mutatingPolicyPlugin } from './policies/mutating.ts';
import { paramAccess } from './policies/param-access.ts';
import { compileValidations, validatingPolicyPlugin } from './policies/validating.ts';
import { priorityAdmission } from './priority.ts';
import { resourceQuota } from './quota/resource-quota.ts';
import { configuredMutation } from './reinvocation.ts';
import { roleEscalation } from './role-escalation.ts';
import { runtimeClassAdmission } from './runtime-class.ts';
import { serviceAccountAdmission } from './service-account.ts';
import { followServices, serviceAllocation } from './services/service-allocation.ts';
import { DEFAULT_RANGES, ServiceNetwork, type ServiceRanges } from './services/service-network.ts';
import { storageObjectInUseProtection } from './storage-protection.ts';
import { StoredObjects } from './stored-objects.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';
import { persistentVolumeClaimResize } from './volume-claim-resize.ts';
import { AdmissionWebhooks } from './webhooks/admission-webhook.ts';
import type { ResolveService } from './webhooks/client-config.ts';
import { mutatingWebhookPlugin } from './webhooks/mutating.ts';
import { validatingWebhookPlugin } from './webhooks/validating.ts';

export interface ChainDeps {
  readonly source: ObjectSource;
  readonly random: Random;
  readonly access: Access;
  readonly clock: Clock;
  /** Functions of the JavaScript runtime of the server. */
  readonly host: Pick<ServerHost, 'post' | 'requestedOrganizations'>;
  /** Ranges of service addresses and ports. */
  readonly serviceRanges?: ServiceRanges;
  /** Resolves services of webhooks outside the cluster. Defaults to their endpoints. */
  readonly resolveService?: ResolveService;
  /** Stops the indexes of the plugins. */
  readonly signal: AbortSignal;
}

/** Plugins in the order in which they run. */
export interface AdmissionChain {
  readonly plugins: readonly AdmissionPlugin[];
  /** Adds the plugins of the program that embeds this API server. */
  add(added: AddedPlugins): void;
}

/** Returns every object of a resource, kept up to date. */
type AllObjects = (group: string, plural: string) => StoredObjects;

/** Creates the plugins that Kubernetes enables by default, in the same order. */
export function admissionChain(parts: ChainDeps): AdmissionChain {
  const { source, signal, clock } = parts;
  const all: AllObjects = (group, plural) => new StoredObjects(source, group, 'v1', plural, signal);
  const mutating = compiledIn(parts, all);
  const replaced = new Set<string>();
  const others = configuredAndLater(parts, all, mutating, replaced);
  const quota = resourceQuota(all('', 'resourcequotas'), source, clock);
  const plugins = [...mutating, others.mutation, ...others.validation, quota];
  return {
    plugins,
    add({ mutating = [], last = [], replacedWebhooks = [] }) {
      for (const name of replacedWebhooks) replaced.add(name);
      plugins.splice(plugins.indexOf(others.mutation) + 1, 0, ...mutating);
      plugins.splice(plugins.indexOf(quota), 0, ...last);
    },
  };
}

/** Creates the mutating plugins that need no configuration. */
function compiledIn(
  { source, random, host, access: { authorize } }: ChainDeps,
  all: AllObjects,
): readonly AdmissionPlugin[] {
  return [
    namespaceLifecycle(source),
    limitRanger(all('', 'limitranges')),
    serviceAccountAdmission(source, random),
    taintNodesByCondition,
    podSecurity(source),
    priorityAdmission(all('scheduling.k8s.io', 'priorityclasses')),
    defaultTolerationSeconds,
    defaultStorageClass(all('storage.k8s.io', 'storageclasses')),
    storageObjectInUseProtection,
    persistentVolumeClaimResize(source),
    runtimeClassAdmission(source),
    podResizeCapacity(source),
    certificateApproval(authorize),
    certificateSigning(authorize),
    certificateSubjectRestriction(host.requestedOrganizations),
    defaultIngressClass(all('networking.k8s.io', 'ingressclasses')),
  ];
}

/** Creates the mutation that policies and webhooks configure, and what validates its result. */
function configuredAndLater(
  parts: ChainDeps,
  all: AllObjects,
  reinvoked: readonly AdmissionPlugin[],
  replaced: ReadonlySet<string>,
) {
  const { source, random, access, host, resolveService = () => undefined } = parts;
  const { authorize } = access;
  const environment = admissionEnvironment(authorize);
  const webhooks = (plural: string) =>
    new AdmissionWebhooks(all(ADMISSION_GROUP, plural), source, environment, replaced);
  const mutating = new BoundPolicies(
    all(ADMISSION_GROUP, 'mutatingadmissionpolicies'),
    all(ADMISSION_GROUP, 'mutatingadmissionpolicybindings'),
    { source, environment, libraries: [MUTATIONS], compile: compileMutations },
  );
  const validating = new BoundPolicies(
    all(ADMISSION_GROUP, 'validatingadmissionpolicies'),
    all(ADMISSION_GROUP, 'validatingadmissionpolicybindings'),
    { source, environment, libraries: [], compile: compileValidations },
  );
  const asking = { source, random, post: host.post, resolveService };
  const network = new ServiceNetwork(parts.serviceRanges ?? DEFAULT_RANGES, random.fork('services'));
  all('', 'services').tell(followServices(network));
  return {
    mutation: configuredMutation(reinvoked, [
      mutatingPolicyPlugin(mutating, source),
      mutatingWebhookPlugin(webhooks('mutatingwebhookconfigurations'), asking),
    ]),
    validation: [
      roleEscalation(access),
      serviceAllocation(network, source),
      expressionCheck(environment),
      paramAccess(authorize, source),
      validatingPolicyPlugin(validating, source),
      validatingWebhookPlugin(webhooks('validatingwebhookconfigurations'), asking),
    ],
  };
}
