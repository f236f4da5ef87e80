import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import type { StoredObjects } from './stored-objects.ts';

/** Returns the name of the newest class that is marked as default. */
function defaultOf(classes: StoredObjects, annotations: readonly string[]): string | undefined {
  let chosen: KubeObject | undefined;
  for (const each of classes) {
    const marked = annotations.some((name) => each.metadata.annotations?.[name] === 'true');
    if (marked && (chosen === undefined || isPreferred(each, chosen))) chosen = each;
  }
  return chosen?.metadata.name;
}

function isPreferred({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  const [mine, other] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  return mine === other ? (a.name ?? '') < (b.name ?? '') : mine > other;
}

const STORAGE_DEFAULT = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
const STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** Sets the default storage class of claims that name none. */
export function defaultStorageClass(classes: StoredObjects): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    mutate({ operation, resource, subresource, object }) {
      if (operation !== 'CREATE' || resource.plural !== 'persistentvolumeclaims' || resource.group !== '') return;
      if (subresource !== '' || classes.size === 0 || object === undefined) return;
      const spec = (object['spec'] ??= {}) as { storageClassName?: string };
      if (spec.storageClassName !== undefined || object.metadata.annotations?.[STORAGE_CLASS] !== undefined) return;
      const name = defaultOf(classes, STORAGE_DEFAULT);
      if (name !== undefined) spec.storageClassName = name;
    },
  };
}

const INGRESS_DEFAULT = ['ingressclass.kubernetes.io/is-default-class'];
const INGRESS_CLASS = 'kubernetes.io/ingress.class';

/** Sets the default class of Ingresses that name none. */
export function defaultIngressClass(classes: StoredObjects): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    mutate({ operation, resource, subresource, object }) {
      if (operation !== 'CREATE' || resource.plural !== 'ingresses' || resource.group !== 'networking.k8s.io') return;
      if (subresource !== '' || classes.size === 0 || object === undefined) return;
      const spec = (object['spec'] ??= {}) as { ingressClassName?: string };
      if (spec.ingressClassName !== undefined || object.metadata.annotations?.[INGRESS_CLASS] !== undefined) return;
      const name = defaultOf(classes, INGRESS_DEFAULT);
      if (name !== undefined) spec.ingressClassName = name;
    },
  };
}
