import type { KubeObject } from '#platform/kube/kube-object';
import { ApiError } from './api-error.ts';
import { type Backend, timestamp } from './backend.ts';
import objects from './kubernetes/bootstrap-objects.data.json' with { type: 'json' };
import type { RequestContext } from './request-context.ts';
import { createObject } from './verbs/create.ts';

/** Initial objects of a new control plane: namespaces, roles, flow schemas and priority classes. */

interface Bootstrapped {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly objects: readonly object[];
}

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const FLOW = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1' };

const FIRST: readonly Bootstrapped[] = [
  { group: '', version: 'v1', plural: 'namespaces', objects: NAMESPACES.map((name) => ({ metadata: { name } })) },
];
const THEN: readonly Bootstrapped[] = [
  { ...RBAC, plural: 'clusterroles', objects: objects.rbac.clusterroles },
  { ...RBAC, plural: 'clusterrolebindings', objects: objects.rbac.clusterrolebindings },
  { ...RBAC, plural: 'roles', objects: objects.rbac.roles },
  { ...RBAC, plural: 'rolebindings', objects: objects.rbac.rolebindings },
  { ...FLOW, plural: 'prioritylevelconfigurations', objects: objects.flowcontrol.prioritylevelconfigurations },
  { ...FLOW, plural: 'flowschemas', objects: objects.flowcontrol.flowschemas },
  { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses', objects: objects.priorityclasses },
];

/** Creates the objects that do not exist. Objects that a user has changed since the first start stay as they are. */
export async function bootstrap(backend: Backend, call: RequestContext): Promise<void> {
  for (const step of [FIRST, [...THEN, trackingConfigMap(backend)]])
    await Promise.all(step.map((part) => ensure(backend, part, call)));
}

/**
 * Records since when the use of tokens in Secrets is tracked, which kube-controller-manager requires. No use was
 * tracked before.
 */
function trackingConfigMap({ clock }: Backend): Bootstrapped {
  const metadata = { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' };
  const data = { since: timestamp(clock).slice(0, 'YYYY-MM-DD'.length) };
  return { group: '', version: 'v1', plural: 'configmaps', objects: [{ metadata, data }] };
}

async function ensure(
  backend: Backend,
  { group, version, plural, objects }: Bootstrapped,
  call: RequestContext,
): Promise<void> {
  const resource = backend.registry.find(group, version, plural);
  if (resource === undefined) return;
  await Promise.all(
    objects.map(async (object) => {
      const copy = structuredClone(object) as KubeObject;
      try {
        await createObject(backend, resource, copy.metadata.namespace ?? '', copy, call);
      } catch (error) {
        if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
      }
    }),
  );
}
