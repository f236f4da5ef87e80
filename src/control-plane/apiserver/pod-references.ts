import type { Container, Pod, Volume } from './kinds/pod/pod-spec.ts';

/** Reports whether a pod refers to an object of its namespace, which its node needs to run it. */
export function podRefersTo(pod: Pod, kind: 'Secret' | 'ConfigMap' | 'PersistentVolumeClaim', name: string): boolean {
  const { spec } = pod;
  if (kind === 'PersistentVolumeClaim') {
    return spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === name) === true;
  }
  if (kind === 'Secret' && spec.imagePullSecrets?.some((secret) => secret.name === name) === true) return true;
  if (spec.volumes?.some((volume) => volumeNames(volume, kind).includes(name)) === true) return true;
  return [spec.containers, spec.initContainers, spec.ephemeralContainers].some(
    (containers) => containers?.some((container) => environmentNames(container, kind).includes(name)) === true,
  );
}

function volumeNames({ secret, configMap, projected }: Volume, kind: 'Secret' | 'ConfigMap'): (string | undefined)[] {
  const sources = projected?.sources ?? [];
  return kind === 'Secret'
    ? [secret?.secretName, ...sources.map((source) => source.secret?.name)]
    : [configMap?.name, ...sources.map((source) => source.configMap?.name)];
}

function environmentNames({ env = [], envFrom = [] }: Container, kind: 'Secret' | 'ConfigMap'): (string | undefined)[] {
  return kind === 'Secret'
    ? [...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name), ...envFrom.map(({ secretRef }) => secretRef?.name)]
    : [
        ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
        ...envFrom.map(({ configMapRef }) => configMapRef?.name),
      ];
}
