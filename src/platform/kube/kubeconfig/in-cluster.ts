import { ConfigError } from '#platform/base/errors';
import { clusterAccess } from './access.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { reasonOf } from './cluster-settings.ts';
import type { HostEnvironment } from './host-environment.ts';

const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Reports whether the process runs in a pod, by the variables that the kubelet sets. */
export function isInCluster({ env }: Pick<HostEnvironment, 'env'>): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST'] && env['KUBERNETES_SERVICE_PORT']);
}

/** Returns the access that a pod has by its ServiceAccount. */
export async function inClusterAccess(environment: HostEnvironment, namespace?: string): Promise<ClusterAccess> {
  const { env, readFile } = environment;
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  const problems: string[] = [];
  const read = async (name: string): Promise<string> => {
    try {
      return await readFile(`${SERVICE_ACCOUNT_DIRECTORY}/${name}`);
    } catch (error) {
      problems.push(`cannot read ${SERVICE_ACCOUNT_DIRECTORY}/${name}${reasonOf(error)}`);
      return '';
    }
  };
  const [ca] = await Promise.all([read('ca.crt'), read('token')]);
  if (problems.length > 0) {
    throw new ConfigError(`the ServiceAccount of this pod cannot be used: ${problems.join('; ')}`, {
      hint: 'Check that the pod does not set automountServiceAccountToken to false.',
    });
  }
  const own = namespace ?? (await readFile(`${SERVICE_ACCOUNT_DIRECTORY}/namespace`).catch(() => '')).trim();
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const user = { tokenFile: `${SERVICE_ACCOUNT_DIRECTORY}/token` };
  return clusterAccess({ server, ca, insecure: false }, user, own === '' ? 'default' : own, environment);
}
