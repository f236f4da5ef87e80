import { goQuote } from '#platform/base/go-value';
import type { Random } from '#platform/base/random';
import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import type { Pod } from '../kinds/pod/pod-spec.ts';
import { type ObjectSource, readObject } from '../object-source.ts';
import { admissionDenial } from './denial.ts';
import { containersOf, isMirror, newPod } from './pod-write.ts';
import { namesSecret, secretProblem } from './secret-references.ts';

interface ServiceAccount extends KubeObject {
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name?: string }[];
  secrets?: { name?: string }[];
}

const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** One hour plus a margin: tokens are renewed after most of the time has passed. */
const EXPIRATION_SECONDS = 3607;
const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';

/** Assigns every pod an existing service account, and mounts a token of it. */
export function serviceAccountAdmission(source: ObjectSource, random: Random): AdmissionPlugin {
  const accountOf = (write: AdmissionAttributes, name: string): ServiceAccount => {
    const found = readObject(source, '', 'v1', 'serviceaccounts', write.namespace, name);
    if (found !== undefined) return found;
    const why = `error looking up service account ${write.namespace}/${name}: serviceaccount ${goQuote(name)} not found`;
    throw admissionDenial(write, why);
  };
  return {
    name: 'ServiceAccount',
    mutate(write) {
      const pod = newPod(write);
      if (pod === undefined || isMirror(pod)) return undefined;
      const { spec } = pod;
      spec.serviceAccountName ||= 'default';
      spec.serviceAccount = spec.serviceAccountName;
      const account = accountOf(write, spec.serviceAccountName);
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(pod, random);
      if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0) {
        spec.imagePullSecrets = structuredClone(account.imagePullSecrets ?? []);
      }
      return undefined;
    },
    validate(write) {
      const pod = newPod(write);
      if (pod === undefined) return;
      const why = isMirror(pod) ? mirrorProblem(pod) : accountProblem(pod, write, accountOf);
      if (why !== undefined) throw admissionDenial(write, why);
    },
  };
}

function mirrorProblem(pod: Pod): string | undefined {
  if ((pod.spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (namesSecret(pod)) return 'a mirror pod may not reference secrets';
  const projections = (pod.spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return projections.some(({ serviceAccountToken }) => serviceAccountToken !== undefined)
    ? 'a mirror pod may not use ServiceAccountToken volume projections'
    : undefined;
}

function accountProblem(
  pod: Pod,
  write: AdmissionAttributes,
  accountOf: (write: AdmissionAttributes, name: string) => ServiceAccount,
): string | undefined {
  const { serviceAccountName = '' } = pod.spec;
  if (serviceAccountName === '') return `no service account specified for pod ${write.namespace}/${write.name}`;
  const account = accountOf(write, serviceAccountName);
  if (account.metadata.annotations?.[ENFORCE]?.toLowerCase() !== 'true') return undefined;
  const names = (list: readonly { name?: string }[] = []) => new Set(list.map(({ name = '' }) => name));
  return secretProblem(pod, serviceAccountName, names(account.secrets), names(account.imagePullSecrets));
}

/** Mounts a token in each container that has no other mount at that path. */
function mountToken(pod: Pod, random: Random): void {
  const { spec } = pod;
  const present = (spec.volumes ?? []).find(({ name }) => name?.startsWith(VOLUME_PREFIX) === true)?.name;
  const name = present ?? `${VOLUME_PREFIX}${random.suffix()}`;
  let needed = false;
  for (const [, container] of containersOf(pod)) {
    container.volumeMounts ??= [];
    const mounts = container.volumeMounts;
    if (mounts.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    mounts.push({ name, readOnly: true, mountPath: MOUNT_PATH });
    needed = true;
  }
  if (present === undefined && needed) (spec.volumes ??= []).push(tokenVolume(name));
}

function tokenVolume(name: string) {
  const sources = [
    { serviceAccountToken: { expirationSeconds: EXPIRATION_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ];
  return { name, projected: { sources, defaultMode: 0o644 } };
}
