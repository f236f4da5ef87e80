import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import type { Rbac } from './access/rbac.ts';
import { type AdmissionChain, admissionChain } from './admission/chain.ts';
import type { Backend } from './backend.ts';
import { builtInResources } from './builtin-resources.ts';
import { FieldManagement } from './field-management.ts';
import { CommitShare } from './flow-control/commit-share.ts';
import { ThreadShare } from './flow-control/thread-share.ts';
import type { ServerHost } from './host.ts';
import { kindParts } from './kind-parts.ts';
import { ParsedObjects } from './parsed-objects.ts';
import { Registry } from './registry.ts';
import type { Resource } from './resource.ts';
import { indexRoles } from './role-index.ts';

export interface BackendDeps {
  readonly stores: Backend['stores'];
  readonly host: ServerHost;
  readonly clock: Clock;
  readonly random: Random;
  /** Stops the indexes of stored objects. */
  readonly signal: AbortSignal;
}

export interface ServerCore {
  readonly backend: Backend;
  readonly host: ServerHost;
  readonly rbac: Rbac;
  /** Chain whose plugins the backend runs. */
  readonly admission: AdmissionChain;
  /** Thread of the backend, as flow control sees it. */
  readonly thread: ThreadShare;
}

/** Creates what the verbs need: built-in resources, access control and the admission of Kubernetes. */
export function createBackend({ stores, host, clock, random, signal }: BackendDeps): ServerCore {
  const registry = new Registry();
  registry.add(builtInResources(kindParts));
  const parsed = new ParsedObjects();
  const rbac = indexRoles(stores.main, registry, parsed, signal);
  const authorize = rbac.authorize.bind(rbac);
  const thread = new ThreadShare(clock);
  const admission = admissionChain({
    source: { store: stores.main, registry, parsed },
    host,
    clock,
    random: random.fork('admission'),
    access: { authorize, rulesFor: rbac.rulesFor.bind(rbac), rulesOf: rbac.rulesOf.bind(rbac) },
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
  };
  return { backend, host, rbac, admission, thread };
}

function* versionsOf(registry: Registry, { group, plural }: Resource): Generator<Resource> {
  for (const resource of registry.all()) if (resource.group === group && resource.plural === plural) yield resource;
}
