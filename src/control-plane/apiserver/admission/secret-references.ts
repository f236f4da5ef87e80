import { goQuote } from '#platform/base/go-value';
import type { Pod, Volume } from '../kinds/pod/pod-spec.ts';
import { containersOf } from './pod-write.ts';

/** Volume sources of other storage systems, with the fields that name their secrets. */
const OTHER_SOURCES: readonly (readonly [source: string, field: string])[] = [
  ['azureFile', 'secretName'],
  ['cephfs', 'secretRef'],
  ['cinder', 'secretRef'],
  ['flexVolume', 'secretRef'],
  ['rbd', 'secretRef'],
  ['scaleIO', 'secretRef'],
  ['iscsi', 'secretRef'],
  ['storageos', 'secretRef'],
  ['csi', 'nodePublishSecretRef'],
];

/** Reports whether a pod refers to any secret. */
export function namesSecret(pod: Pod): boolean {
  if ((pod.spec.imagePullSecrets ?? []).length > 0) return true;
  if ((pod.spec.volumes ?? []).some(hasSecret)) return true;
  for (const [, { env = [], envFrom = [] }] of containersOf(pod)) {
    if (envFrom.some(({ secretRef }) => secretRef !== undefined)) return true;
    if (env.some(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined)) return true;
  }
  return false;
}

function hasSecret(volume: Volume): boolean {
  if (volume.secret !== undefined) return true;
  if (volume.projected?.sources?.some(({ secret }) => secret !== undefined) === true) return true;
  return OTHER_SOURCES.some(([source, field]) => {
    const settings = (volume as Readonly<Record<string, unknown>>)[source] as
      | Readonly<Record<string, unknown>>
      | undefined;
    return settings?.[field] !== undefined;
  });
}

/** Returns why a service account that restricts mountable secrets does not allow a pod, undefined if it does. */
export function secretProblem(
  pod: Pod,
  account: string,
  secrets: ReadonlySet<string>,
  pullSecrets: ReadonlySet<string>,
): string | undefined {
  const denied = (what: string, name: string) =>
    `${what}${goQuote(name)} is not allowed because service account ${account} does not reference that secret`;
  for (const { secret } of pod.spec.volumes ?? []) {
    const name = secret?.secretName;
    if (name !== undefined && !secrets.has(name)) return denied('volume with secret.secretName=', name);
  }
  for (const [what, { name: container, env = [], envFrom = [] }] of containersOf(pod)) {
    for (const { name, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef?.name;
      if (secret === undefined || secrets.has(secret)) continue;
      return denied(`${what} ${container} with envVar ${name} referencing secret.secretName=`, secret);
    }
    for (const { secretRef } of envFrom) {
      const secret = secretRef?.name;
      if (secret === undefined || secrets.has(secret)) continue;
      return denied(`${what} ${container} with envFrom referencing secret.secretName=`, secret);
    }
  }
  const at = (pod.spec.imagePullSecrets ?? []).findIndex(({ name = '' }) => !pullSecrets.has(name));
  if (at < 0) return undefined;
  const name = pod.spec.imagePullSecrets?.[at]?.name ?? '';
  return `imagePullSecrets[${at}].name=${goQuote(name)} is not allowed because service account ${account} does not reference that imagePullSecret`;
}
