import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAsset } from '../cluster/assets.ts';
import { build, hasGo } from '../cluster/build.ts';
import { Component } from '../cluster/component.ts';

/** A mount namespace of our own, in which somebody is root who is not. */
const UNSHARE = 'unshare';
const SEPARATE = ['--user', '--map-root-user', '--mount'];

/** What is missing to run kube-descheduler as if in a pod; '' where nothing is. */
export function missingForDescheduler(): string {
  if (findAsset('descheduler') === undefined && !hasGo())
    return 'kube-descheduler (in KUBE_ASSETS or PATH), or Go to build it';
  const separated = spawnSync(UNSHARE, [...SEPARATE, 'true'], { stdio: 'ignore' }).status === 0;
  return separated ? '' : 'a system that lets users have mount namespaces (unshare --user --mount)';
}

/** Rights that its own manifests give kube-descheduler. */
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
  /** Of the API server. */
  readonly url: string;
  readonly token: string;
  readonly certificate: string;
  readonly policy: string;
  readonly folder: string;
}

/** Where a pod finds what it speaks to the API server with; kube-descheduler speaks to Prometheus with it too. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const IN_A_POD = `mount -t tmpfs none "$(readlink -f /var/run)" && mkdir -p ${ACCOUNT} && cp "$1"/* ${ACCOUNT}/ && shift && exec "$@"`;

/** The real kube-descheduler, unmodified, every four seconds; it finds itself in a pod. Builds it where it is missing. */
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
