import { join } from 'node:path';
import { waitUntil } from '#testing/wait';
import { startRealCluster } from '../../cluster/real-cluster.ts';
import { RBAC_GROUP } from './fuzz-kinds.ts';
import { type FuzzTarget, targetOn } from './fuzz-target.ts';

/** Starts kube-apiserver with etcd and no controllers, so that only the fuzzer writes. */
export async function startKubeTarget(): Promise<FuzzTarget> {
  const cluster = await startRealCluster({ scheduler: false, controllerManager: false });
  const target = targetOn({
    name: 'kube-apiserver',
    port: Number(new URL(cluster.url).port),
    pkiFolder: join(cluster.folder, 'pki'),
  });
  const { admin } = target;
  let count = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    ...target,
    settle: () => {
      last = last.then(() => settled(admin, ++count));
      return last;
    },
    faults: () => Promise.resolve([]),
    async stop() {
      target.close();
      await cluster.stop();
    },
  };
}

const NAMESPACE = 'default';

/**
 * kube-apiserver authorizes with a slightly outdated copy of roles and bindings. Changes of one kind arrive in order,
 * so a role and a binding written now are known after all earlier ones.
 */
async function settled(admin: FuzzTarget['admin'], count: number): Promise<void> {
  const name = `marker-${count}`;
  const rules = [{ apiGroups: ['fuzz'], resources: ['markers'], resourceNames: [name], verbs: ['get'] }];
  const subjects = [{ kind: 'User', apiGroup: RBAC_GROUP, name }];
  for (const [kind, plural, place] of [
    ['Role', 'roles', `namespaces/${NAMESPACE}/`],
    ['ClusterRole', 'clusterroles', ''],
  ] as const) {
    const root = `/apis/${RBAC_GROUP}/v1/${place}`;
    const roleRef = { apiGroup: RBAC_GROUP, kind, name: 'marker' };
    const header = (suffix = '') => ({
      apiVersion: `${RBAC_GROUP}/v1`,
      kind: `${kind}${suffix}`,
      metadata: { name: 'marker' },
    });
    await admin('PUT', `${root}${plural}/marker`, { ...header(), rules });
    await admin('PUT', `${root}${plural.slice(0, -1)}bindings/marker`, { ...header('Binding'), roleRef, subjects });
    const access = {
      group: 'fuzz',
      resource: 'markers',
      name,
      verb: 'get',
      ...(place === '' ? {} : { namespace: NAMESPACE }),
    };
    await waitUntil(async () => {
      const review = { spec: { user: name, resourceAttributes: access } };
      const { body } = await admin('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review);
      return (JSON.parse(body) as { status: { allowed: boolean } }).status.allowed;
    });
  }
}
