import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAsset } from '../cluster/assets.ts';
import { build, hasGo } from '../cluster/build.ts';
import { Component } from '../cluster/component.ts';

/** Creates a mount namespace in which the current user is root. */
const UNSHARE = 'unshare';
const SEPARATE = ['--user', '--map-root-user', '--mount'];

/** Returns what is missing to run kube-descheduler as if in a pod, or '' if nothing is. */
export function missingForDescheduler(): string {
  if (findAsset('descheduler') === undefined && !hasGo())
    return 'kube-descheduler (in KUBE_ASSETS or PATH), or Go to build it';
  const separated = spawnSync(UNSHARE, [...SEPARATE, 'true'], { stdio: 'ignore' }).status === 0;
  return separated ? '' : 'a system that lets users have mount namespaces (unshare --user --mount)';
}

/** Permissions that the manifests of kube-descheduler grant. */
export const DESCHEDULER_RULES = [
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'update'] },
  { apiGroups: [''], resources: ['nodes', 'namespaces'], verbs: ['get', 'watch', 'list'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'watch', 'list', 'delete'] },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  { apiGroups: ['scheduling.k8s.io'], resources: ['priorityclasses'], verbs: ['get', 'watch', 'list'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['get', 'watch', 'list'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'watch', 'list'] },
];

export interface DeschedulerSettings {
  /** URL of the API server. */
  readonly url: string;
  readonly token: string;
  readonly certificate: string;
  readonly policy: string;
  readonly folder: string;
}

/** Directory where a pod finds its credentials for the API server. kube-descheduler also uses them for Prometheus. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const IN_A_POD = `mount -t tmpfs none "$(readlink -f /var/run)" && mkdir -p ${ACCOUNT} && cp "$1"/* ${ACCOUNT}/ && shift && exec "$@"`;

/** Runs the unmodified kube-descheduler every four seconds, as if in a pod. Builds it if it is missing. */
export async function startDescheduler(settings: DeschedulerSettings): Promise<Component> {
  await build(['descheduler'], (line) => process.stdout.write(`${line}\n`));
  const { url, token, certificate, policy, folder } = settings;
  const account = join(folder, 'account');
  mkdirSync(account, { recursive: true });
  writeFileSync(join(account, 'token'), token);
  writeFileSync(join(account, 'ca.crt'), certificate);
  const file = join(folder, 'policy.yaml');
  writeFileSync(file, policy);
  const flags = ['--feature-gates=EvictionsInBackground=true', '--secure-port=0', '--descheduling-interval=4s', '-v=4'];
  const program = [findAsset('descheduler') ?? '', `--policy-config-file=${file}`, ...flags];
  const { hostname, port } = new URL(url);
  const descheduler = new Component({
    name: 'descheduler',
    binary: UNSHARE,
    args: [...SEPARATE, 'sh', '-c', IN_A_POD, 'sh', account, ...program],
    folder,
    env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
  });
  descheduler.start();
  return descheduler;
}
