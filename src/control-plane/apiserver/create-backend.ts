import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Authorize } from './access/attributes.ts';
import type { Rbac } from './access/rbac.ts';
import { type AdmissionChain, admissionChain } from './admission/chain.ts';
import { DEFAULT_RANGES } from './admission/services/service-network.ts';
import { selectServiceRange } from './admission/services/service-range.ts';
import type { Backend } from './backend.ts';
import { builtInResources } from './builtin-resources.ts';
import { FieldManagement } from './field-management.ts';
import { CommitShare } from './flow-control/commit-share.ts';
import { ThreadShare } from './flow-control/thread-share.ts';
import type { ServerHost } from './host.ts';
import { kindParts } from './kind-parts.ts';
import type { Pod } from './kinds/pod/pod-spec.ts';
import { withNodeAuthorizer } from './node-authorizer.ts';
import type { ObjectSource } from './object-source.ts';
import { ParsedObjects } from './parsed-objects.ts';
import { Registry } from './registry.ts';
import { keyOf, type Resource } from './resource.ts';
import { indexRoles } from './role-index.ts';

export interface BackendDeps {
  readonly stores: Backend['stores'];
  readonly host: ServerHost;
  readonly clock: Clock;
  readonly random: Random;
  /** Addresses of services, as a CIDR. Defaults to that of kubeadm. */
  readonly serviceClusterIpRange?: string | undefined;
  /** Stops the indexes of stored objects. */
  readonly signal: AbortSignal;
}

export interface ServerCore {
  readonly backend: Backend;
  readonly host: ServerHost;
  readonly rbac: Rbac;
  /** Chain whose plugins the backend runs. */
  readonly admission: AdmissionChain;
  /** CIDR of the addresses of services. */
  readonly serviceRange: string;
  /** Thread of the backend, as flow control sees it. */
  readonly thread: ThreadShare;
}

/** Creates what the verbs need: built-in resources, access control and the admission of Kubernetes. */
export function createBackend(deps: BackendDeps): ServerCore {
  const { stores, host, clock, random, signal } = deps;
  const registry = new Registry();
  registry.add(builtInResources(kindParts));
  const parsed = new ParsedObjects();
  const rbac = indexRoles(stores.main, registry, parsed, signal);
  const authorize = authorizer(rbac, { store: stores.main, registry, parsed });
  const thread = new ThreadShare(clock);
  const serviceRange = selectServiceRange(deps.serviceClusterIpRange, ownRange(stores, registry, parsed));
  const admission = admissionChain({
    source: { store: stores.main, registry, parsed },
    host,
    clock,
    random: random.fork('admission'),
    access: { authorize, rulesFor: rbac.rulesFor.bind(rbac), rulesOf: rbac.rulesOf.bind(rbac) },
    serviceRanges: { ...DEFAULT_RANGES, addresses: serviceRange },
    signal,
  });
  const backend: Backend = {
    stores,
    registry,
    parsed,
    admission: admission.plugins,
    authorize,
    fields: new FieldManagement((resource) => versionsOf(registry, resource)),
    clock,
    random,
    thread,
    commits: new CommitShare(clock),
    yaml: host.yaml,
    encoder: host.encoder,
  };
  return { backend, host, rbac, admission, serviceRange, thread };
}

/** Returns what decides on requests: roles, and for nodes also the pods that are bound to them. */
function authorizer(rbac: Rbac, { store, registry, parsed }: ObjectSource): Authorize {
  return withNodeAuthorizer(rbac.authorize.bind(rbac), function* (namespace) {
    const pods = registry.find('', 'v1', 'pods');
    if (pods === undefined) return;
    for (const entry of store.range({ prefix: keyOf(pods, namespace, '') }).entries) yield parsed.get(entry) as Pod;
  });
}

/** Returns the ServiceCIDR of an earlier start. */
function ownRange(stores: Backend['stores'], registry: Registry, parsed: ParsedObjects): KubeObject | undefined {
  const resource = registry.find('networking.k8s.io', 'v1', 'servicecidrs');
  const entry = resource && stores.main.latest(keyOf(resource, '', 'kubernetes'));
  return entry && parsed.get(entry);
}

function* versionsOf(registry: Registry, { group, plural }: Resource): Generator<Resource> {
  for (const resource of registry.all()) if (resource.group === group && resource.plural === plural) yield resource;
}
